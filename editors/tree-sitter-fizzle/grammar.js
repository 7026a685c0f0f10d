/**
 * @file The tree-sitter grammar of Fizzle, a declarative language for card games.
 * @license MIT OR Apache-2.0
 *
 * The pest grammar in `grammar/src/fizzle.pest` defines the language; this grammar is for editors. It knows the items, their names, the
 * abilities, statements, steps and blocks. Within a phrase it is flat: words that packs declare are `word` nodes, reserved words are
 * anonymous tokens. It accepts more than the compiler does, so that a tree is useful while a designer types.
 *
 * Newlines end statements by the rules of `grammar/src/newlines.rs`: not after a word or an operator that needs an operand, and not before a
 * word that continues the statement. Where a newline is possible, it is a token; elsewhere it is a blank. After a newline the parser follows
 * both readings; the next token excludes one of them.
 */

/// Reserved words after which a line continues, and which do not begin one that continues.
const AFTER = ['by', 'for', 'from', 'if', 'in', 'not', 'until', 'when', 'whenever', 'while'];

/// Reserved words that need an operand on both sides, as the first is not the subject of a clause.
const LINKS = ['and', 'as', 'instead', 'may', 'otherwise', 'then', 'to'];

/// Reserved words after the subject of a clause or the place of an assignment.
const PREDICATES = ['cannot', 'gets', 'has', 'is', 'of', 'or', 'that', 'with', 'without'];

/// Reserved words before or after an operand that may end a statement.
const QUANTIFIERS = [
  'all', 'any', 'bottom', 'count', 'each', 'highest', 'lowest', 'no', 'other', 'random', 'some', 'sum', 'target', 'top', 'up',
];

/// Words that begin a member of a play with a value, and are no reserved words.
const PLAY_WORDS = ['announced', 'class', 'limit', 'pool', 'price', 'produces', 'times', 'yields'];

/// Links that may directly follow a verb: not those that make the word before them a subject.
const BARE_LINKS = ['and', 'instead', 'otherwise', 'then', 'to', ','];

const list1 = (rule, separator) => seq(rule, repeat(seq(separator, rule)));

/// The content of a body whose entries are separated, except after a block: `open` ends without a block, `closed` with one.
const entries = ($, open, closed, ...others) => seq(
  '{',
  repeat(choice($._separator, closed, seq(open, $._separator), ...others)),
  optional(open),
  '}',
);

module.exports = grammar({
  name: 'fizzle',

  extras: $ => [/[\s\u3000\u00a0\ufeff]/, $.comment, $.doc_comment],

  word: $ => $.word,

  supertypes: $ => [$.item],

  inline: $ => [$._label, $._predicate],

  conflicts: $ => [
    // A newline after an operand, a verb or a block: the end of the statement, or its continuation.
    [$._open_flow, $._pending],
    [$._closed_flow, $._pending],
    // `card` in a body: a word of a phrase, or an item after a body that is not closed.
    [$._card_word, $.card],
    [$._open_clause, $._pending],
    [$._closed_clause, $._pending],
    [$._play_value, $._pending],
    [$._open_action, $._linked_verb],
    [$._closed_action, $._linked_verb],
    [$._open_act, $._linked_verb],
    // A newline after an exchange of cards: the end of the step, or its `because`.
    [$._refused_exchange],
    // A `-` after a verb in a block of modes: the next mode, or an operand.
    [$._open_action, $._acting],
  ],

  rules: {
    source_file: $ => seq(
      repeat($._newline),
      optional(seq(list1($.item, repeat1($._newline)), repeat($._newline))),
    ),

    // Tokens.

    _newline: _ => '\n',
    _separator: $ => choice(';', $._newline),

    comment: _ => token(choice(/\/\/([^\/\n][^\n]*)?/, /\/\/\/\/[^\n]*/)),
    doc_comment: _ => token(/\/\/\/([^\/\n][^\n]*)?/),

    // Above `word`, since of two tokens of the same length the first one counts.
    // `IV`
    roman: _ => /[IVX]+/,
    // One token for all of them: a token for each would fill the table of every state within a phrase.
    quantifier: _ => token(choice(...QUANTIFIERS)),
    word: _ => /[\p{XID_Start}_]\p{XID_Continue}*/,
    number: _ => /[0-9]+/,
    // `2/2`
    pair: $ => prec(2, seq($.number, $.operator, optional('-'), $.number)),
    symbol: _ => token(/\{[0-9A-Z\/]+\}/),
    claim: _ => token(/[\p{XID_Continue}-]+/),

    string: $ => choice(
      seq('"', repeat(choice(token.immediate(prec(1, /[^"{\n]+/)), $.placeholder, token.immediate('{'))), token.immediate('"')),
      seq('《', repeat(choice(token.immediate(prec(1, /[^》{\n]+/)), $.placeholder, token.immediate('{'))), token.immediate('》')),
    ),
    placeholder: _ => token.immediate(prec(2, /\{[^"》{}\n]+\}/)),

    preposition: _ => choice('into', 'onto', 'under'),
    comparison: _ => token(choice('==', '!=', '<=', '>=', '<', '>')),
    assignment: _ => token(choice('+=', '-=')),
    operator: _ => token(choice('*', '/')),

    price: $ => prec.right(repeat1($.symbol)),
    boolean: _ => choice('true', 'false'),
    pronoun: _ => choice('this', 'it', 'its', 'you', 'your', 'opponent', 'active'),

    // `turn.draw`
    path: $ => seq(choice($.word, $._card_word), repeat1(seq(token.immediate('.'), choice(alias($._step_name, $.word), $.string)))),
    _card_word: $ => alias('card', $.word),
    _step_name: _ => token.immediate(/[\p{XID_Start}_]\p{XID_Continue}*/),

    _label: $ => choice($.word, $.string),

    // Phrases: flat sequences of operands and links. They differ by what they end with.

    _operand: $ => choice(
      $.word, $._card_word, $.path, $.call, $.number, $.string, $.price, $.boolean, $.pronoun, $.group, $.list, $._player_acts,
      $.quantifier, 'at', 'would',
    ),
    // `you draw`, and after a subject `cannot attack`
    _player_acts: $ => prec(1, seq(alias(choice('you', 'opponent', 'active'), $.pronoun), alias($.word, $.verb))),
    _modal: $ => prec(1, seq(choice('cannot', 'may', 'would'), alias($.word, $.verb))),

    call: $ => seq(field('function', choice($.word, $.path)), field('arguments', alias($._arguments, $.group))),
    _arguments: $ => seq(token.immediate('('), optional(seq($._flow, repeat($._newline))), ')'),
    group: $ => seq('(', optional(seq($._flow, repeat($._newline))), ')'),
    list: $ => seq('[', optional(seq($._flow, repeat($._newline))), ']'),

    _predicate: $ => choice(...PREDICATES, '=', $.assignment, $.comparison, '+', '-', $.operator, '\'s'),
    // A reserved word as the name of a style or a noun in texts.
    _reserved: $ => choice(
      ...AFTER, ...LINKS, ...PREDICATES, $.preposition, $.quantifier, 'at', 'would', 'let', 'true', 'false', 'this', 'it', 'its', 'you', 'your',
      'opponent', 'active',
    ),
    _link: $ => choice(...AFTER, ...LINKS, $.preposition, 'let', ',', $._predicate),
    // What continues the statement of the line above, or after a block.
    _continuation: $ => choice(
      ...LINKS, ...PREDICATES, $.preposition, '=', $.assignment, $.comparison, '+', $.operator, ',',
    ),

    _flow: $ => choice($._open_flow, $._closed_flow),
    _open_flow: $ => choice($._open, seq($._start_links, $._open)),
    _closed_flow: $ => choice($._closed, seq($._start_links, choice($._closed, field('body', $.block)))),
    _start_links: _ => repeat1(choice(...AFTER, 'may', '-', 'as')),

    // The last part is an operand.
    _open: $ => choice(
      $._operand,
      prec(1, seq('may', alias($.word, $.verb))),
      seq($._open, choice($._operand, $._modal)),
      seq($._pending, $._operand),
    ),
    // The last part needs an operand or a block after it.
    _pending: $ => choice(
      seq($._open, $._link),
      seq($._pending, $._link),
      // Where both readings of a newline are possible (`then` might be a verb), the line continues.
      prec.dynamic(1, seq($._open, repeat1($._newline), $._continuation)),
      prec.dynamic(1, seq($._closed, repeat($._newline), $._continuation)),
    ),
    // The last part is a block.
    _closed: $ => seq(choice($._open, $._pending), field('body', $.block)),

    // The same without blocks, for what stands before a block: newlines are no tokens there.
    _head: $ => choice($._head_open, $._head_pending),
    _head_open: $ => choice($._operand, seq($._head_open, $._operand), seq($._head_pending, $._operand)),
    _head_pending: $ => choice($._head_link, seq($._head_open, $._head_link), seq($._head_pending, $._head_link)),
    _head_link: $ => choice($._link, ':'),

    // Blocks and statements.

    block: $ => entries($,
      choice($._open_statement, $._open_modes),
      choice($._closed_statement, seq(optional($._open_modes), alias($._closed_mode, $.mode))),
      $.phase,
      $._nested_item,
    ),
    // An item in a body whose brace is not closed yet: the items after it keep their trees.
    _nested_item: $ => prec(3, choice($.card, $.scenario)),
    // `- draw 1 - destroy target creature`: a `-` between two modes is no subtraction
    _open_modes: $ => repeat1(alias($._open_mode, $.mode)),
    _open_mode: $ => prec.dynamic(1, prec(1, seq('-', $._open_statement))),
    _closed_mode: $ => prec.dynamic(1, prec(1, seq('-', $._closed_statement))),

    _open_statement: $ => choice(
      alias($._open_let, $.let_statement),
      alias($._open_flow, $.statement),
      alias($._open_action, $.statement),
      alias($._open_linked, $.statement),
    ),
    _closed_statement: $ => choice(
      alias($._closed_let, $.let_statement),
      alias($._closed_flow, $.statement),
      alias($._closed_action, $.statement),
      alias($._closed_linked, $.statement),
    ),
    // `draw 1; then draw 2`
    _open_linked: $ => seq(choice('then', 'otherwise'), choice($._open_flow, $._open_action, $._open_let)),
    _closed_linked: $ => seq(choice('then', 'otherwise'), choice(
      $._closed_flow, $._closed_action, $._closed_let, field('body', $.block),
    )),

    // `draw 1`, `put it into hand`: a verb, then what it needs.
    _open_action: $ => choice($._verb, seq($._acting, $._open_flow)),
    _closed_action: $ => choice(
      seq($._acting, $._closed_flow),
      seq(choice($._verb, $._linked_verb), field('body', $.block)),
    ),
    _acting: $ => choice($._verb, $._linked_verb),
    _linked_verb: $ => seq($._verb, choice(
      repeat1(choice(...BARE_LINKS, $.preposition)),
      prec.dynamic(1, seq(repeat1($._newline), $._continuation)),
      prec.dynamic(1, seq($.block, repeat($._newline), $._continuation)),
    )),
    _verb: $ => prec(1, alias($.word, $.verb)),

    _open_let: $ => seq($._let, $._open_flow),
    _closed_let: $ => seq($._let, $._closed_flow),
    _let: $ => seq('let', field('name', $.word), '='),

    // `phase combat { … }`, `step draw when x > 3 { … }`
    phase: $ => seq(
      choice('phase', 'step'),
      field('name', $.word),
      optional(seq('when', $._head)),
      field('body', $.block),
    ),

    // Items.

    item: $ => choice(
      $.pack, $.format, $.card, $.token, $.deck, $.scenario, $.stage, $.position, $.keyword, $.rule, $.state_rule, $.action, $.treat,
      $.play, $.payment, $.noun, $.function, $.constant, $.variable, $.traits, $.kind, $.layers, $.zone, $.timing, $.announce, $.setup,
      $.turn, $.evaluate, $.players, $.deck_rules, $.match, $.ban, $.restrict, $.text, $.foreign, $.layout, $.cost_symbol, $.stat_pair,
      $.unlabelled, $.renaming, $.relation,
    ),

    pack: $ => seq('pack', field('name', $._label), field('body', $.settings)),

    card: $ => seq('card', field('name', $._label), field('body', $.members)),
    token: $ => seq('token', field('name', $._label), field('body', $.members)),
    keyword: $ => seq('keyword', field('name', $.word), optional($.parameters), optional(seq('with', 'body')), field('body', $.members)),
    rule: $ => seq('rule', field('name', $.word), field('body', $.members)),
    state_rule: $ => seq('state', 'rule', field('name', $.word), field('body', $.block)),

    action: $ => seq(
      'action',
      field('name', $.word),
      optional($.parameters),
      repeat(choice('by', 'is', $.word, $.pronoun)),
      optional(field('body', $.block)),
    ),
    treat: $ => seq('treat', field('name', $.word), 'as', $.word, optional(seq('when', $._flow))),

    play: $ => seq('play', field('name', $.word), optional($.parameters), field('body', $.play_body)),
    payment: $ => seq('payment', field('name', $.word), choice('adds', seq('of', $.word)), field('body', $.play_body)),

    noun: $ => seq('noun', field('name', $.word), '=', $._flow),
    constant: $ => seq('constant', field('name', $.word), '=', $._flow),
    function: $ => seq('function', field('name', $.word), $.parameters, optional($._typed), '=', $._flow),
    variable: $ => seq(
      choice('property', 'status', 'player', 'global'),
      field('name', $.word),
      $._variable_type,
      optional('='),
      optional($._flow),
    ),
    parameters: $ => seq('(', optional(list1($.parameter, ',')), ')'),
    parameter: $ => seq(
      field('name', choice($.word, alias(choice('it', 'you'), $.pronoun))),
      optional($._typed),
      optional(seq('in', $.word)),
    ),
    _typed: $ => seq(':', field('type', $.type)),
    type: $ => seq($.word, optional(seq('of', $.word))),
    // `: one of upright, lying`
    _variable_type: $ => seq(':', field('type', choice($.type, alias($._enumeration, $.type)))),
    _enumeration: $ => prec.right(1, seq($.word, 'of', $.word, repeat1(seq(',', $.word)))),

    traits: $ => seq('traits', field('name', $.word), repeat(choice(
      'adds', 'changeable', 'open', seq('as', 'abilities'), seq('instead', 'of', 'abilities'),
    )), choice(
      optional($.names),
      seq('from', $.word, $.words_of_units),
    )),
    words_of_units: $ => seq('{', repeat(choice(seq($.word, $.symbol), $._separator, ',')), '}'),
    layers: $ => seq('layers', $.names),
    cost_symbol: $ => seq('symbol', field('name', $.symbol), field('body', $.play_body)),
    relation: $ => seq(
      'relation',
      field('name', $.word),
      $.parameters,
      optional(seq('for', choice($.word, $.path))),
      optional(field('body', $.relation_body)),
    ),
    relation_body: $ => seq('{', repeat(choice($.relation_status, ',', $._separator)), '}'),
    relation_status: $ => prec.right(seq(field('name', $.word), $._variable_type, optional(seq('for', $.word)))),
    stat_pair: $ => seq('pair', $.word, $.operator, $.word),
    // `unlabelled mana_cost, subtype for creature or kindred`
    unlabelled: $ => seq('unlabelled', list1($.unlabelled_fact, ',')),
    unlabelled_fact: $ => seq(field('name', $.word), optional(seq('for', list1($.word, 'or')))),
    renaming: $ => seq('renamed', field('kind', $.word), field('name', $.word), 'to', $.word),
    names: $ => seq('{', repeat(choice($._label, ',', $._separator)), '}'),
    kind: $ => seq('kind', field('name', $._label), 'prints', $._flow),

    zone: $ => seq('zone', field('name', $.word), optional('adds'), field('body', $.settings)),
    timing: $ => seq('timing', field('body', $.settings)),
    announce: $ => seq('announce', choice(seq('like', $._label), field('body', $.settings))),
    deck_rules: $ => seq('deck', 'rules', field('body', $.settings)),
    match: $ => seq('match', field('body', $.settings)),
    layout: $ => seq('layout', field('body', $.settings)),
    players: $ => seq('players', $.number, optional(seq('to', $.number))),
    evaluate: $ => seq('evaluate', $._flow),
    setup: $ => seq('setup', field('body', $.block)),
    turn: $ => seq('turn', field('body', $.block)),

    ban: $ => seq('ban', list1($._label, ',')),
    restrict: $ => seq('restrict', list1($._label, ',')),

    foreign: $ => seq('foreign', field('body', $.foreign_body)),
    foreign_body: $ => seq('{', repeat(choice($.foreign_word, ',', $._separator)), '}'),
    foreign_word: $ => prec.right(seq(field('name', choice($.word, $.string)), ':', $.word, optional($.string))),

    // Settings: a key, then its value. Blocks in them contain settings as well.

    settings: $ => entries($,
      alias($._open_setting, $.setting),
      alias($._closed_setting, $.setting),
    ),
    _open_setting: $ => choice($._key, seq($._key, $._head_open)),
    _closed_setting: $ => seq($._key, optional($._head), field('body', $.settings)),
    _key: $ => field('key', choice($.word, $.number, $.quantifier, 'without')),

    // Members of cards, keywords and rules.

    members: $ => seq(
      '{',
      repeat(choice(
        $._separator,
        $._nested_item,
        ',',
        $._unscoped_member,
        alias($._scoped_ability, $.ability),
        seq(choice($._open_unscoped_member, alias($._open_scoped_ability, $.ability)), $._separator),
        // `creature in battle cannot attack`: after a word on the same line, `in` belongs to a clause
        seq(repeat1(alias($._word_fact, $.fact)), choice(
          $._separator,
          ',',
          $._unscoped_member,
          seq($._open_unscoped_member, $._separator),
        )),
      )),
      optional(choice(
        $._open_unscoped_member,
        alias($._open_scoped_ability, $.ability),
        seq(repeat1(alias($._word_fact, $.fact)), optional($._open_unscoped_member)),
      )),
      '}',
    ),
    _unscoped_member: $ => choice(
      $.face,
      alias($._valued_fact, $.fact),
      $.ability,
      alias($._closed_clause, $.clause),
    ),
    _open_unscoped_member: $ => choice(
      alias($._open_clause, $.clause),
      alias($._open_ability, $.ability),
    ),

    face: $ => seq(choice('face', 'back'), field('name', $.string), field('body', $.members)),

    _word_fact: $ => prec(1, field('name', $.word)),
    _valued_fact: $ => prec(2, choice(
      seq(field('name', choice($.word, alias('cost', $.word))), choice(
        $.price,
        // In `white 2/2`, `white` is a word without a value; one token of lookahead does not show the sign.
        seq(optional('-'), choice($.number, $.pair)),
        $.boolean,
        prec.right(seq($.string, repeat(seq(optional(','), $.string)))),
      )),
      seq(optional('-'), $.pair),
      $.call,
      // `{1}{G}`, `"Elf", "Warrior"`; a price after quoted words belongs to them, as it does to a label
      $.price,
      prec.right(2, seq(list1($.string, ','), optional($.price))),
    )),

    ability: $ => choice(
      $._ability_head,
      seq($._prefix, $._prefixed),
    ),
    // `when creature enters field, permanent of you triggers again`
    _open_ability: $ => choice(
      $._open_ability_head,
      seq($._prefix, $._open_prefixed),
    ),
    _open_ability_head: $ => prec(1, choice(
      seq(choice('when', 'whenever'), optional(seq($._event, optional($._event_link))), $._open_flow),
      seq($._line_head, ':', field('body', $.line)),
    )),
    // What stands before the colon of an ability; its statement extends to the end of the line.
    _line_head: $ => choice(
      seq(choice('when', 'whenever', 'at', 'if', 'while', alias($._as_soon_as, 'as soon as')), $._line_flow),
      seq(choice('when', 'whenever'), $._event, optional(seq(optional($._event_link), $._line_flow))),
      'always',
      'does',
      $._keyword_use,
      // Costs. A verb at the beginning, and a label before it, are facts: one token of lookahead does not show the colon.
      $._open,
      prec(3, seq(optional(field('name', $.string)), $.price, optional(seq(',', $._line_flow)))),
    ),
    line: $ => choice($._open_statement, $._closed_statement),
    _line_flow: $ => seq(optional($._start_links), choice($._open, $._pending)),
    // `loyalty +2`, `chapter I, II`
    _keyword_use: $ => prec(2, seq(field('name', $.word), choice(
      seq(optional(choice('+', '-')), $.number),
      list1($.roman, ','),
    ))),
    _event_link: $ => choice('and', 'to', $.preposition, ...PREDICATES, ','),
    // `this enters`, `creature attacks`
    _event: $ => prec(2, seq(
      choice($.word, $._card_word, $.group, alias(choice('this', 'it', 'you', 'opponent', 'active'), $.pronoun)),
      alias($.word, $.verb),
    )),
    _scoped_ability: $ => seq($.scope, $._prefixed),
    _open_scoped_ability: $ => seq($.scope, $._open_prefixed),
    _prefixed: $ => seq(
      repeat(choice($._prefix, $.scope)),
      choice($._ability_head, alias($._valued_fact, $.fact), alias($._word_fact, $.fact), alias($._closed_clause, $.clause)),
    ),
    _open_prefixed: $ => seq(repeat(choice($._prefix, $.scope)), choice($._open_ability_head, alias($._open_clause, $.clause))),
    _prefix: _ => choice('immediately', seq('off', 'list'), 'unlisted', 'missable', 'timely', 'concealed'),
    scope: $ => prec.right(1, seq('in', list1($.word, ','), optional(':'))),

    _ability_head: $ => prec(1, choice(
      seq(choice('when', 'whenever', 'at', 'if', 'while', alias($._as_soon_as, 'as soon as')), $._closed_flow),
      seq(choice('when', 'whenever'), $._event, choice(
        field('body', $.block),
        seq(optional($._event_link), $._closed_flow),
      )),
      seq($._line_head, ':', field('body', $.block)),
      seq(choice('always', 'does', 'cost', $._keyword_use, $.call), field('body', $.block)),
      seq('defines', field('body', $.settings)),
      seq('activated', optional(field('name', $.string)), field('body', $.play_body)),
      seq(
        choice(seq(choice('additional', 'alternative'), 'cost'), 'option'),
        field('name', $.word),
        optional('instead'),
        field('body', $.play_body),
      ),
    )),
    _as_soon_as: _ => token(/as +soon +as/),

    // `creature of opponent cannot attack`
    // `{2}, flying` is read as a clause: a price before a comma begins the costs of an ability.
    _open_clause: $ => choice($._open, prec(3, seq($.price, ',', $._open))),
    _closed_clause: $ => $._closed,

    // Plays.

    play_body: $ => seq(
      '{',
      repeat(choice(
        $._separator,
        alias($._closed_play_member, $.play_member),
        alias($._closed_play_word, $.play_member),
        seq($._open_play_members, choice($._separator, alias($._closed_play_word, $.play_member))),
      )),
      optional($._open_play_members),
      '}',
    ),
    _open_play_members: $ => choice(
      alias($._open_play_member, $.play_member),
      alias($._open_play_word, $.play_member),
      seq($._open_play_members, alias($._open_play_word, $.play_member)),
    ),
    _open_play_member: $ => choice(
      seq(choice('from', 'when'), $._play_value),
      seq('at', 'once'),
    ),
    // Not `_open_flow`: states that the generator merges would take `does` for the end of a phrase everywhere.
    _play_value: $ => choice($._open, seq($._start_links, $._open)),
    _closed_play_member: $ => seq('by', field('body', $.block)),
    _open_play_word: $ => choice(
      seq(choice(...PLAY_WORDS), $._play_value),
      'immediately',
      'waits',
      'pays',
      seq('usable', 'while', 'paying'),
    ),
    _closed_play_word: $ => seq(choice('cost', 'does', 'values', seq('announce', 'numbers')), field('body', $.block)),

    // Decks.

    deck: $ => seq('deck', field('name', $._label), field('body', $.deck_body)),
    deck_body: $ => seq('{', repeat(choice($._separator, $.format_name, $.section)), '}'),
    format_name: $ => seq('format', field('name', $._label)),
    section: $ => seq(field('name', $.word), field('body', $.section_body)),
    section_body: $ => seq('{', repeat(choice($._separator, ',', $.copies)), '}'),
    copies: $ => seq(optional($.number), $._label),

    // Formats.

    format: $ => seq(
      'format',
      field('name', $._label),
      optional(field('title', $.string)),
      'extends',
      field('base', $._label),
      field('body', $.differences),
    ),
    differences: $ => entries($,
      choice($.item, $.replacement),
      choice($.removal, $.insertion, $.addition, $.errata),
    ),
    replacement: $ => seq('replace', choice(
      $.item,
      seq(choice('step', 'phase'), field('target', choice($.word, $.path)), field('body', $.block)),
      seq(field('target', alias($._layout_path, $.path)), field('body', $.settings)),
    )),
    removal: $ => seq('remove', field('target', choice($.word, $.path))),
    insertion: $ => seq(choice('before', 'after'), field('target', choice($.word, $.path)), optional('insert'), $.phase),
    addition: $ => seq('append', choice(
      seq(field('target', choice($.word, $.path)), field('body', $.block)),
      seq(field('target', alias($._layout_path, $.path)), field('body', $.settings)),
      $.layout,
    )),
    _layout_path: $ => seq(alias('layout', $.word), repeat1(seq(token.immediate('.'), choice(alias($._step_name, $.word), $.string)))),
    errata: $ => seq('errata', field('name', $._label), field('body', $.members)),

    // Texts.

    text: $ => seq('text', field('language', $.word), field('body', $.text_body)),
    text_body: $ => seq('{', repeat(choice($._separator, $.text_entry)), '}'),
    text_entry: $ => prec(1, seq(
      choice(
        seq('style', choice(alias($._reserved, $.word), $.word)),
        seq('name', choice(alias($._reserved, $.word), $._label)),
        seq('state', 'rule', $.word),
        seq('self', optional($._label)),
        seq('change', optional('+'), $._open_flow),
        seq(choice('until', 'for'), $._open_flow),
        seq(choice('do', 'cost', 'event', 'value', 'ability'), choice($._open_flow, $._closed_flow, $.block)),
      ),
      ':',
      field('text', list1($.string, ',')),
    )),

    // Scenarios.

    scenario: $ => seq(
      'scenario',
      field('name', $._label),
      optional(seq('covers', list1(choice($.claim, $.string), ','))),
      optional(seq('from', $.word)),
      optional('strict'),
      field('body', $.scenario_body),
    ),
    stage: $ => seq('stage', field('name', $.string), 'for', $._head, field('body', $.scenario_body)),
    position: $ => seq('position', field('name', $.word), optional(seq('from', $.word)), field('body', $.position_body)),

    scenario_body: $ => entries($, $._open_step, $._closed_step, $.format_name, $._nested_item, alias($._start, $.start), alias($._plan, $.match)),
    _start: $ => seq('position', field('body', $.position_body)),
    _plan: $ => seq('match', field('body', $.settings)),
    _open_step: $ => choice(
      alias($._open_let, $.let_statement),
      alias($._open_expectation, $.expectation),
      alias($._open_refusal, $.refusal),
      $.moment,
      alias($._open_act, $.step),
      alias($._other_step, $.step),
    ),
    _closed_step: $ => choice(
      alias($._closed_let, $.let_statement),
      alias($._closed_expectation, $.expectation),
      alias($._closed_refusal, $.refusal),
      alias($._closed_act, $.step),
      alias($._exchange, $.step),
      alias($._refused_exchange, $.refusal),
    ),
    _open_expectation: $ => seq('expect', $._open_flow),
    _closed_expectation: $ => seq('expect', $._closed_flow),
    _open_refusal: $ => seq('refuse', $._open_flow),
    _closed_refusal: $ => seq('refuse', $._closed_flow),
    moment: $ => prec(1, seq(choice('at', seq('go', 'to')), $._open_flow)),
    _other_step: $ => choice(
      seq('chance', $._open_flow),
      seq('next', 'match'),
      seq('answer', 'the', 'rest', 'with', $.word),
    ),
    _players: $ => list1(field('player', $.word), ','),
    _open_act: $ => seq($._players, choice(
      seq($._acting, optional('with'), $._open_flow),
      $._verb,
      seq('is', $._verb),
    )),
    _closed_act: $ => seq($._players, $._acting, $._closed_flow),
    _exchange: $ => seq(
      field('player', $.word),
      alias(choice('exchange', 'exchanges'), $.verb),
      $.section,
      repeat($._newline),
      'for',
      $.section,
    ),
    _refused_exchange: $ => seq(
      'refuse',
      $._exchange,
      optional(seq(repeat($._newline), 'because', list1($.string, ','))),
    ),

    position_body: $ => entries($,
      alias($._open_flow, $.position_entry),
      alias($._closed_flow, $.position_entry),
      $.seat,
      ',',
    ),
    seat: $ => prec(1, seq(field('player', $.word), ':', field('body', $.position_body))),
  },
});
