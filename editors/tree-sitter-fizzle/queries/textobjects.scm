; Text objects, with the names of Helix (around, inside) and of Neovim (outer, inner).

; An item is a class: a card, a keyword, a deck, a format, a text.
([
  (card body: (_) @class.inside @class.inner)
  (token body: (_) @class.inside @class.inner)
  (keyword body: (_) @class.inside @class.inner)
  (rule body: (_) @class.inside @class.inner)
  (deck body: (_) @class.inside @class.inner)
  (format body: (_) @class.inside @class.inner)
  (errata body: (_) @class.inside @class.inner)
  (face body: (_) @class.inside @class.inner)
  (text body: (_) @class.inside @class.inner)
  (zone body: (_) @class.inside @class.inner)
  (layout body: (_) @class.inside @class.inner)
  (turn body: (_) @class.inside @class.inner)
] @class.around @class.outer)

; An ability, an action or a function is a function.
([
  (ability body: (_) @function.inside @function.inner)
  (action body: (_) @function.inside @function.inner)
  (state_rule body: (_) @function.inside @function.inner)
  (setup body: (_) @function.inside @function.inner)
  (play body: (_) @function.inside @function.inner)
  (payment body: (_) @function.inside @function.inner)
  (cost_symbol body: (_) @function.inside @function.inner)
  (phase body: (_) @function.inside @function.inner)
] @function.around @function.outer)
(function) @function.around @function.outer

; A scenario is a test.
(scenario body: (_) @test.inside @test.inner) @test.around @test.outer

(block) @block.inner @block.outer

[
  (statement) (let_statement) (step) (expectation) (refusal) (moment) (fact) (clause) (setting) (play_member) (text_entry)
] @statement.outer

(parameter) @parameter.inside @parameter.inner @parameter.around @parameter.outer

[
  (text_entry) (foreign_word) (copies) (position_entry) (mode)
] @entry.inside @entry.around

[(comment) (doc_comment)] @comment.inside @comment.inner
(comment)+ @comment.around @comment.outer
(doc_comment)+ @comment.around @comment.outer
