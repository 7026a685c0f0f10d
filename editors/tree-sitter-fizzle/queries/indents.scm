; Indentation: names of Helix and of Neovim.

[
  (block) (members) (settings) (play_body) (names) (differences)
  (text_body) (foreign_body) (deck_body) (section_body) (scenario_body) (position_body) (relation_body)
  (group) (list)
] @indent @indent.begin

["}" ")" "]"] @outdent @indent.branch @indent.end

[(comment) (doc_comment)] @indent.auto
