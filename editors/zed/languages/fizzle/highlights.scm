; Colours. Of several patterns for a node the last one counts. Where Helix and Neovim name a colour differently, a node has both names, that of
; Neovim last.

(comment) @comment
(doc_comment) @comment.documentation

; Words

(word) @variable
(string) @string
(placeholder) @constant.character.escape @string.escape
(number) @constant.numeric @number
(boolean) @constant.builtin.boolean @boolean
(symbol) @constant.builtin
(roman) @constant.numeric @number
(claim) @label
(pronoun) @variable.builtin
(type (word) @type)
(path (word) @property)
(path . (word) @module)
(call function: (word) @function.call)
(call function: (path (word) @function.call .))
(verb) @function.call

; Verbs that are plain words in the tree: `each player draws 5`, `this cannot be destroyed`

((statement . (quantifier) . (word) @_player . (word) @function.call) (#any-of? @_player "player" "opponent"))
([(word) (verb)] @_before . (word) @function.call (#any-of? @_before "be" "can" "must"))

; Names that are declared

(pack name: (_) @module)
(format name: (_) @module)
(format base: (_) @module)
(format_name name: (_) @module)
(text language: (word) @module)

(card name: (_) @type.definition)
(token name: (_) @type.definition)
(face name: (_) @type.definition)
(errata name: (_) @type.definition)
(deck name: (_) @type.definition)
(scenario name: (_) @type.definition)
(stage name: (_) @type.definition)
(cost_symbol name: (_) @type.definition)
(position name: (_) @type.definition)

(kind name: (_) @type)
(traits name: (_) @type.definition)
(zone name: (_) @type.definition)
(noun name: (_) @type.definition)
(relation name: (_) @type.definition)
(names (word) @constant)

(keyword name: (_) @function)
(rule name: (_) @function)
(state_rule name: (_) @function)
(action name: (_) @function)
(function name: (_) @function)
(play name: (_) @function)
(payment name: (_) @function)
(treat name: (_) @function)
(treat "as" . (word) @function)
(action "is" . (word) @function)
(phase name: (_) @label)
(ability name: (word) @function)

(constant name: (_) @constant)
(variable name: (_) @property)
(relation_status name: (_) @property)
(stat_pair (word) @property)
(unlabelled_fact (word) @type)
(unlabelled_fact name: (word) @property)
(renaming kind: (word) @keyword.type)
(parameter name: (word) @variable.parameter)

; Members of cards, settings, positions, decks

(fact name: (word) @property)
((fact . name: (word) @type .))
((fact . name: (word) @type . (pair)))
(setting key: (word) @property)
(scope (word) @property)
(section name: (word) @property)
(position_entry . (word) @property)
(position_entry "," . (word) @property)
(foreign_word name: (word) @property)
(text_entry (word) @variable)

; Names of one scenario, block or loop

(let_statement name: (word) @variable)
(step player: (word) @constant)
(moment . (word) @constant)
(seat player: (word) @constant)
(insertion target: (word) @property)
(removal target: (word) @property)
(addition target: (word) @property)

; Words of the language

[
  "pack" "format" "card" "token" "deck" "scenario" "stage" "position" "keyword" "rule" "state" "rules" "action" "treat" "play" "payment" "noun"
  "function" "constant" "property" "status" "player" "global" "traits" "kind" "layers" "zone" "timing" "announce" "setup" "turn" "evaluate"
  "players" "match" "ban" "restrict" "text" "foreign" "layout" "symbol" "pair" "renamed" "relation" "unlabelled" "face" "back" "errata"
  "phase" "step" "replace" "remove" "append" "before" "after" "insert" "extends" "covers" "strict" "prints" "adds" "changeable" "open" "like"
] @keyword.storage.type @keyword.type

[
  "when" "whenever" "at" "while" "as soon as" "always" "does" "defines" "activated" "additional" "alternative" "option" "cost" "immediately" "off"
  "list" "unlisted" "missable" "timely" "concealed" "once" "then" "instead" "may" "would" "until" "for" "let" "announced" "class" "limit" "pays"
  "paying" "pool" "price" "produces" "times" "usable" "values" "numbers" "waits" "yields"
  "expect" "refuse" "because" "chance" "go" "next" "answer" "the" "rest"
  "name" "self" "style" "do" "event" "value" "change" "ability" "body"
] @keyword

["if" "otherwise"] @keyword.control.conditional @keyword.conditional

[
  "and" "as" "by" "cannot" "from" "gets" "has" "in" "is" "not" "of" "or" "that" "to" "with" "without"
  (preposition) (quantifier)
] @keyword.operator

(play_member "from" @keyword)
(play_member "announce" @keyword)

; Words that are no tokens, since packs may declare them as well

((verb) @keyword
  (#any-of? @keyword "body" "choose" "copy" "create" "declare" "divide" "divides" "insert" "produces" "repeat" "simultaneously" "skip" "trigger" "window"))
((_ (word) @keyword . (block)) (#any-of? @keyword "once" "times"))
((_ (word) @keyword.operator)
  (#any-of? @keyword.operator
    "among" "can" "choosing" "counts" "except" "long" "must" "rounded" "shares" "sums" "than" "unless" "where"))
([(word) (verb)] @keyword.operator (#eq? @keyword.operator "be"))
((statement . "if" . (pronoun) . (verb) @keyword) (#eq? @keyword "do"))
((word) @keyword (#eq? @keyword "because"))

; Signs

["=" "+" "-" (assignment) (comparison) (operator)] @operator
["," ";" ":" "." "'s"] @punctuation.delimiter
["{" "}" "(" ")" "[" "]"] @punctuation.bracket
