; The outline: what a pack declares. A name in quotes is shown with its quotes.

(pack name: (_) @name) @definition.module
(format name: (_) @name) @definition.module
(text language: (_) @name) @definition.module

(card name: (_) @name) @definition.class
(token name: (_) @name) @definition.class
(face name: (_) @name) @definition.class
(errata name: (_) @name) @definition.class
(deck name: (_) @name) @definition.class

(scenario name: (_) @name) @definition.function
(stage name: (_) @name) @definition.function
(position name: (_) @name) @definition.function

(keyword name: (_) @name) @definition.interface
(kind name: (_) @name) @definition.type
(traits name: (_) @name) @definition.type
(zone name: (_) @name) @definition.type
(noun name: (_) @name) @definition.type
(relation name: (_) @name) @definition.type

(rule name: (_) @name) @definition.function
(state_rule name: (_) @name) @definition.function
(action name: (_) @name) @definition.function
(function name: (_) @name) @definition.function
(play name: (_) @name) @definition.function
(payment name: (_) @name) @definition.function
(cost_symbol name: (_) @name) @definition.constant
(phase name: (_) @name) @definition.section

(constant name: (_) @name) @definition.constant
(variable name: (_) @name) @definition.field

(call function: (word) @name) @reference.call
(verb) @name @reference.call
