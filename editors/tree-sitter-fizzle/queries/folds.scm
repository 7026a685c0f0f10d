; What can be folded: bodies in braces, and doc comments of several lines.

[
  (block) (members) (settings) (play_body) (names) (differences)
  (text_body) (foreign_body) (deck_body) (section_body) (scenario_body) (position_body) (relation_body)
] @fold

(list) @fold
(doc_comment)+ @fold
