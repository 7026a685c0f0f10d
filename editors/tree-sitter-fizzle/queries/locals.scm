; Names that are known in a part of a file: parameters, `let`, loops, and `as`.

[
  (action) (function) (keyword) (play) (ability) (scenario) (block) (play_body)
] @local.scope

(parameter name: (word) @local.definition.variable.parameter)
(let_statement name: (word) @local.definition.variable)
(statement . "for" . (quantifier) . (word) @local.definition.variable)
((_ "as" . (word) @local.definition.variable)
  (#not-any-of? @local.definition.variable "long" "copy"))

(word) @local.reference
