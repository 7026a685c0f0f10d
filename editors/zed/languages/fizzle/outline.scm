; The outline: what a pack declares, with its keyword.
(pack "pack" @context name: (_) @name) @item
(format "format" @context name: (_) @name) @item
(card "card" @context name: (_) @name) @item
(token "token" @context name: (_) @name) @item
(face ["face" "back"] @context name: (_) @name) @item
(errata "errata" @context name: (_) @name) @item
(deck "deck" @context name: (_) @name) @item
(scenario "scenario" @context name: (_) @name) @item
(stage "stage" @context name: (_) @name) @item
(position "position" @context name: (_) @name) @item
(keyword "keyword" @context name: (_) @name) @item
(kind "kind" @context name: (_) @name) @item
(traits "traits" @context name: (_) @name) @item
(zone "zone" @context name: (_) @name) @item
(noun "noun" @context name: (_) @name) @item
(relation "relation" @context name: (_) @name) @item
(rule "rule" @context name: (_) @name) @item
(action "action" @context name: (_) @name) @item
(function "function" @context name: (_) @name) @item
(play "play" @context name: (_) @name) @item
(payment "payment" @context name: (_) @name) @item
(cost_symbol "symbol" @context name: (_) @name) @item
(constant "constant" @context name: (_) @name) @item
(phase ["phase" "step"] @context name: (_) @name) @item
(state_rule "state" @context "rule" @context name: (_) @name) @item
(variable ["property" "status" "player" "global"] @context name: (_) @name) @item
(text "text" @context language: (_) @name) @item
