// Positions written by hand, for looking at the board and for tests of each kind of decision. Games' words are data here.

const hue = (degrees, tone) => (tone ? { degrees, tone } : { degrees });
export const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html";

class Board {
  constructor() {
    this.objects = {};
    this.zones = {};
    this.cards = {};
    this.next = 1;
  }
  card(name, face = {}) {
    this.cards[name] ??= { name, kind: "", hue: [], cost: "", line: "", text: [], props: {}, source: "pack/cards.fz:1", ...face };
    return name;
  }
  put(zone, name, o = {}) {
    const handle = this.next++;
    if (name) this.card(name);
    this.objects[handle] = { card: name, owner: 0, in: zone, ...o };
    (this.zones[zone] ??= {}).list ??= [];
    this.zones[zone].list.push(handle);
    return handle;
  }
  hide(zone, n, ordered) {
    const z = (this.zones[zone] ??= {});
    z.hidden = n;
    if (ordered) z.ordered = true;
  }
}

const row = (id, style, zones, label, more = {}) => ({ id, style, zones, label, ...more });
const seatsOf = (...names) => names.map((n, k) => ({ name: n, bot: k ? "greedy" : undefined, deck: ["Darkness and fire", "Light and water", "Green", "White"][k % 4], here: true }));

function duel() {
  const b = new Board();
  const W = ["light"], U = ["water"], D = ["darkness"], R = ["fire"];
  for (const [n, h, line, stat, marks] of [["天海の精霊シリウス", W, "Angel Command", 12000], ["コアキャリバー", W, "Guardian", 4500], ["アクア・サーファー", U, "Liquid People", 2000], ["雷鳴の守護者ミスト・リエス", W, "Guardian", 2000], ["蒼天の守護者ラ・ウラ・ギガ", W, "Guardian", 2000, ["blocker"]]]) b.card(n, { kind: "creature", hue: h, line, cost: "5", text: ["Blocker"], stat, marks });
  const at = {};
  at.sirius = b.put("battle", "天海の精霊シリウス", { owner: 1, look: { turned: true, forward: true, stat: "12000" }, to: { prey: "seat0" } });
  b.put("battle", "コアキャリバー", { owner: 1, look: { stat: "4500" } });
  at.surfer = b.put("battle", "アクア・サーファー", { owner: 1, look: { stat: "2000" } });
  b.put("battle", "雷鳴の守護者ミスト・リエス", { owner: 1, look: { stat: "2000" } });
  b.put("battle", "蒼天の守護者ラ・ウラ・ギガ", { owner: 1, look: { stat: "2000", turned: true, marks: ["blocker"] } });
  b.card("混沌の獅子デスライガー", { kind: "creature", hue: D, line: "Demon Command" });
  b.card("無頼勇騎タイガ", { kind: "creature", hue: R, line: "Human" });
  b.card("ねじれる者ボーン・スライム", { kind: "creature", hue: D, line: "Living Dead" });
  b.card("凶戦士ブレイズ・クロー", { kind: "creature", hue: R, line: "Dragonoid" });
  b.put("battle", "混沌の獅子デスライガー", { look: { stat: "9000" } });
  b.put("battle", "無頼勇騎タイガ", { look: { stat: "3000", turned: true } });
  at.slime = b.put("battle", "ねじれる者ボーン・スライム", { look: { stat: "1000", marks: ["blocker"], dim: true } });
  b.put("battle", "凶戦士ブレイズ・クロー", { look: { stat: "1000", turned: true } });
  for (const [n, h, turned] of [["アクア・ビークル", U, 1], ["アクア・ハルカス", U, 1], ["エメラル", U], ["ソーラー・レイ", W], ["ホーリー・スパーク", W], ["コアキャリバー", W], ["エナジー・ライト", U], ["ラ・ウラ・ギガ", W], ["ミスト・リエス", W], ["ブレイン・チャージャー", U], ["コアキャリバー", W]]) {
    b.card(n, { hue: h });
    b.put("mana.1", n, { owner: 1, look: turned ? { turned: true } : {} });
  }
  ["デスライガー", "ブレイズ・クロー", "ゴースト・タッチ", "グレンオー", "ボーン・スライム", "エグゼドライブ", "タイガ", "ハエタタキ", "デスライガー", "マニアクス", "グレンオー", "タイガ"].forEach((n, k) => {
    b.card(n, { hue: k % 2 ? R : D, kind: "spell", cost: "2", text: ["Shield trigger", "Your opponent discards a card at random from their hand."] });
    b.put("mana.0", n, { look: k < 9 ? { turned: true } : {} });
  });
  b.hide("shields.1", 5, true);
  b.hide("shields.0", 4, true);
  b.hide("deck.0", 17, true);
  b.hide("deck.1", 21, true);
  b.hide("hand.1", 3);
  for (let k = 0; k < 9; k++) b.put("graveyard.0", "ブラッディ・イヤリング", {});
  for (let k = 0; k < 6; k++) b.put("graveyard.1", "アクア・ハルカス", { owner: 1 });
  b.card("バッドドッグ・マニアクス", { kind: "Spell", hue: D, cost: "3", text: ["Shield trigger", "Destroy one of your creatures, then destroy one of your opponent's creatures with power 5000 or less."] });
  b.card("トルネード・フレーム", { kind: "Spell", hue: R, cost: "5", text: ["Shield trigger", "Destroy one of your opponent's creatures with power 4000 or less."] });
  b.card("ボルメテウス・ブラック・ドラゴン", { kind: "Creature", line: "Armored Dragon, Demon Command", hue: ["darkness", "fire"], cost: "8", text: ["Double breaker", "When you put this creature into the battle zone, destroy one of your opponent's creatures."] });
  at.maniacs = b.put("hand.0", "バッドドッグ・マニアクス", {});
  b.put("hand.0", "トルネード・フレーム", {});
  at.volme = b.put("hand.0", "ボルメテウス・ブラック・ドラゴン", { look: { stat: "8000" } });
  at.ghost = b.put("hand.0", "ゴースト・タッチ", {});
  b.card("デーモン・ハンド", { hue: D, text: ["Destroy one of your opponent's creatures."] });
  b.card("スパイラル・ゲート", { hue: U, text: ["Return a creature to its owner's hand."] });
  b.card("スチーム・ハエタタキ", { hue: R, text: ["Destroy one of your opponent's creatures with power 4000 or less."] });
  b.put("pending", "デーモン・ハンド", { chosen: [at.sirius] });
  b.put("pending", "スパイラル・ゲート", { owner: 1, chosen: [at.slime] });
  at.top = b.put("pending", "スチーム・ハエタタキ", { chosen: [at.surfer] });
  const layout = {
    seat: [row(0, "row", ["battle"], "battle zone"), row(1, "backs", ["shields"], "shields"), row(2, "tiles", ["mana"], "mana"), row(3, "fan", ["hand"], "hand"), row(4, "pile", ["deck"], "deck"), row(5, "pile", ["graveyard"], "graveyard")],
    list: row(6, "row", ["pending"], "Stack"), arrow: ["prey"],
    hues: { light: hue(88), water: hue(245), darkness: hue(305, "soft"), fire: hue(30), nature: hue(145) },
  };
  const spans = [["turn", "turn"], ["turn.untap", "untap"], ["turn.draw", "draw"], ["turn.charge", "charge"], ["turn.main", "main"], ["turn.attacks", "attacks"], ["turn.attacks.round", "round"], ["turn.attacks.round.declare", "declare"], ["turn.attacks.round.block", "block"], ["turn.attacks.round.strike", "strike"], ["turn.finish", "finish"]].map(([path, label]) => ({ path, label }));
  const ask = { id: 412, kind: "act", prompt: "Your move, or pass", hint: "If both pass, スチーム・ハエタタキ resolves.", min: 1, max: 1, seat: 0, main: [0],
    options: [{ label: "pass", do: "pass", word: "Pass" }, { label: "cast バッドドッグ・マニアクス", do: "cast", word: "cast", on: at.maniacs, cost: "3" }, { label: "cast ゴースト・タッチ", do: "cast", word: "cast", on: at.ghost, cost: "2" }, { label: "discard ゴースト・タッチ", do: "discard", word: "discard", on: at.ghost }] };
  const why = [{ play: "summon", kind: "moment", words: "it is not your turn, and it has no shield trigger.", path: "play.summon.when", place: "duel_masters/rules/using.fz:6",
    source: "function usable(one: object, who: player): bool =\n  turn.main and who is active and list_size() == 0\n  or priority_timing == 1 and one has shield_trigger", fails: [] }];
  why[0].fails = ["turn.main and who is active", "one has shield_trigger"].map((part) => [why[0].source.indexOf(part), why[0].source.indexOf(part) + part.length]);
  return { title: "Duel-Magic", board: b, layout, spans, at, ask, why, seats: seatsOf("Aki", "Mio"), facts: { turn: 11, active: 1, span: "turn.attacks.round.declare", seats: [{ show: [["ninjas", "0"]] }, { show: [] }], game: [], shown: [[7, "アクア・サーファー", "Mio's hand"]] } };
}

function wide() {
  const b = new Board();
  const at = {};
  const face = (n, h, line, cost, text = []) => b.card(n, { kind: "Creature", hue: h, line, cost, text });
  const G = ["green"], R = ["red"], W = ["white"], U = ["blue"], A = ["artifact"];
  for (const [n, h, line, c] of [["Serra Angel", W, "Angel", "{3}{W}{W}"], ["Restoration Angel", W, "Angel", "{3}{W}"], ["Augur of Bolas", U, "Merfolk Wizard", "{1}{U}"], ["Man-o'-War", U, "Jellyfish", "{2}{U}"], ["Stampeding Rhino", G, "Rhino", "{4}{G}"], ["Den Protector", G, "Human Warrior", "{1}{G}"], ["Grizzly Bears", G, "Bear", "{1}{G}"], ["Whisperwood Elemental", G, "Elemental", "{3}{G}{G}"], ["Giant Spider", G, "Spider", "{3}{G}"], ["Prodigal Pyromancer", R, "Human Wizard", "{2}{R}"], ["Llanowar Elves", G, "Elf Druid", "{G}"], ["Craw Wurm", G, "Wurm", "{4}{G}{G}"], ["Battering Craghorn", R, "Goat Beast", "{2}{R}{R}"]]) face(n, h, line, c, ["Flying, vigilance", "At the beginning of your end step, manifest the top card of your library. (Put it onto the battlefield face down as a 2/2 creature.)"]);
  b.card("Oblivion Ring", { kind: "Enchantment", hue: W, cost: "{2}{W}" });
  b.card("Vulshok Morningstar", { kind: "Artifact", line: "Equipment", hue: A });
  b.card("Bonesplitter", { kind: "Artifact", line: "Equipment", hue: A, cost: "{1}" });
  b.card("Lightning Bolt", { kind: "Instant", hue: R, cost: "{R}", text: ["Lightning Bolt deals 3 damage to any target."] });
  for (const [n, h] of [["Island", U], ["Plains", W], ["Secluded Steppe", W], ["Forest", G], ["Mountain", R]]) b.card(n, { kind: "Land", hue: h });
  const C = "battlefield";
  const ring = b.put(C, "Oblivion Ring", { owner: 1 });
  b.put(C, "Craw Wurm", { owner: 0, to: { held_by: String(ring) } });
  for (const [n, s, more] of [["Serra Angel", "4/4", { marks: ["flying", "vigilance"] }], ["Restoration Angel", "3/4", { marks: ["flash", "flying"] }], ["Augur of Bolas", "1/3"], ["Man-o'-War", "2/2", { turned: true }]]) b.put(C, n, { owner: 1, row: 0, look: { stat: s, ...more } });
  for (const [n, k] of [["Island", 5], ["Plains", 4], ["Secluded Steppe", 1]]) for (let i = 0; i < k; i++) b.put(C, n, { owner: 1, row: 2 });
  at.rhino = b.put(C, "Stampeding Rhino", { row: 0, look: { stat: "4/4", marks: ["trample"] } });
  at.den = b.put(C, "Den Protector", { row: 0, look: { stat: "3/2", stat_change: 1, counts: [["+1/+1", 1]] } });
  at.bears = b.put(C, "Grizzly Bears", { row: 0, look: { stat: "4/4", stat_change: 1 } });
  b.put(C, "Vulshok Morningstar", { to: { bearer: String(at.bears) } });
  at.whisper = b.put(C, "Whisperwood Elemental", { row: 0, look: { stat: "4/4" } });
  at.spider = b.put(C, "Giant Spider", { row: 0, look: { stat: "2/4", marks: ["reach"], counts: [["damage", 2]] } });
  at.down = b.put(C, "", { row: 0, look: { stat: "2/2", marks: ["face down"] } });
  at.pyro = b.put(C, "Prodigal Pyromancer", { row: 0, look: { stat: "1/1", dim: true } });
  at.elf = b.put(C, "Llanowar Elves", { row: 0, look: { stat: "1/1", turned: true } });
  b.put(C, "Llanowar Elves", { row: 0, look: { stat: "1/1", turned: true } });
  b.put(C, "Bonesplitter", {});
  for (const [n, k, t] of [["Forest", 3], ["Mountain", 3], ["Forest", 3, 1]]) for (let i = 0; i < k; i++) b.put(C, n, { row: 2, look: t ? { turned: true } : {} });
  at.bolt = b.put("hand.0", "Lightning Bolt", {});
  b.put("hand.0", "Craw Wurm", { look: { stat: "6/4" } });
  b.put("hand.0", "Battering Craghorn", { look: { stat: "3/1" } });
  b.hide("hand.1", 4);
  b.hide("library.0", 36, true);
  b.hide("library.1", 38, true);
  for (let k = 0; k < 4; k++) b.put("graveyard.0", "Grizzly Bears", {});
  b.put("graveyard.1", "Lightning Bolt", { owner: 1 });
  b.zones.stack = {};
  const layout = {
    seat: [row(0, "row", ["battlefield"], "creatures"), row(1, "row", ["battlefield"], "others"), row(2, "tiles", ["battlefield"], "lands", { equal_together: true }), row(3, "fan", ["hand"], "hand"), row(4, "pile", ["library"], "library"), row(5, "pile", ["graveyard"], "graveyard")],
    middle: [row(7, "pile", ["exile"], "exile")], list: row(6, "row", ["stack"], "Stack"), arrow: ["attacked", "blocker"], under: ["held_by"], beside: ["bearer"],
    hues: { white: hue(95, "pale"), blue: hue(245), black: hue(305, "grey"), red: hue(30), green: hue(145) },
  };
  // Objects without a row of their own: creatures and others lie in row 1 here.
  for (const o of Object.values(b.objects)) if (o.in === C && o.row === undefined) o.row = 1;
  const spans = [["turn.beginning", "beginning"], ["turn.main1", "main"], ["turn.combat", "combat"], ["turn.combat.attackers", "declare attackers"], ["turn.combat.blockers", "declare blockers"], ["turn.combat.damage", "damage"], ["turn.main2", "main"], ["turn.ending", "ending"]].map(([path, label]) => ({ path, label }));
  const pairs = [];
  for (const k of ["rhino", "den", "bears", "whisper", "spider"]) pairs.push({ label: `${b.objects[at[k]].card} attacks Noor`, on: at[k], seat: 1 });
  const angel = Number(Object.keys(b.objects).find((h) => b.objects[h].card === "Serra Angel"));
  pairs.push({ label: "Giant Spider attacks Serra Angel", on: at.spider, with: angel });
  const ask = { id: 7, kind: "assign", prompt: "Who attacks?", hint: "11 power at Noor", min: 0, max: 6, seat: 0, main: [0, 1, 2], options: pairs };
  return { title: "Magic", board: b, layout, spans, at, ask, why: [], seats: seatsOf("Aki", "Noor"), facts: { turn: 9, active: 0, span: "turn.combat.attackers", seats: [{ large: ["life", "20"], show: [] }, { large: ["life", "16"], show: [["poison", "2"]] }], game: [], shown: [] } };
}

function places() {
  const b = new Board();
  const at = {};
  const M = ["monster"], T = ["trap"], S = ["spell"];
  const F = "field";
  const put = (name, h, line, seat, r, place, look = {}) => {
    if (name) b.card(name, { kind: "Monster", hue: h, line, cost: "", text: ["When this card is Normal or Special Summoned: You can activate 1 of these effects."] });
    return b.put(F, name, { owner: seat, row: r, place, look });
  };
  put("", [], "", 1, 1, 4, { marks: ["set"] });
  at.solemn = put("Solemn Judgment", T, "Counter Trap", 1, 1, 3);
  at.mirror = put("Mirror Force", T, "Trap", 1, 1, 2);
  put("Armageddon Knight", M, "DARK Warrior", 1, 0, 3, { stat: "1400" });
  put("", [], "", 1, 0, 2, { turned: true, marks: ["face-down defense"] });
  at.breaker = put("Breaker the Magical Warrior", M, "DARK Spellcaster", 1, 0, 1, { stat: "1900", counts: [["spell", 1]] });
  put("Elemental HERO Avian", ["normal"], "WIND Warrior", 0, 0, 0, { stat: "1000", turned: true });
  at.blader = put("Buster Blader", M, "EARTH Warrior", 0, 0, 1, { stat: "3000" });
  put("Command Knight", M, "FIRE Warrior", 0, 0, 2, { stat: "1600" });
  at.tools = put("Seven Tools of the Bandit", T, "Counter Trap", 0, 1, 0);
  at.dust = put("Dust Tornado", T, "Trap", 0, 1, 1, { marks: ["set"] });
  const united = put("United We Stand", S, "Equip", 0, 1, 2);
  b.objects[at.blader].to = { target: String(at.breaker) };
  b.objects[united].to = { bearer: String(at.blader) };
  for (const [n, s] of [["Elemental HERO Stratos", "1800 / 300"], ["Polymerization", ""], ["Rush Recklessly", ""]]) {
    b.card(n, { kind: s ? "Monster" : "Spell", hue: s ? M : S, line: s ? "WIND Warrior" : "Quick-Play", cost: s ? "4" : "", text: ["Fusion Summon 1 Fusion Monster from your Extra Deck, using monsters from your hand or field as Fusion Material."] });
    b.put("hand.0", n, { look: s ? { stat: s } : {} });
  }
  b.hide("hand.1", 2);
  b.hide("deck.0", 27, true);
  b.hide("deck.1", 24, true);
  b.hide("extra.0", 5);
  b.hide("extra.1", 0);
  for (let k = 0; k < 6; k++) b.put("graveyard.0", "Marauding Captain", {});
  for (let k = 0; k < 8; k++) b.put("graveyard.1", "Sangan", { owner: 1 });
  b.card("Sangan", { hue: M });
  b.cards.Sangan.hue = M;
  b.cards["Marauding Captain"].hue = M;
  b.put("chain", "Mirror Force", { owner: 1, ability: true, text: "Destroy all Attack Position monsters your opponent controls." });
  b.put("chain", "Seven Tools of the Bandit", { owner: 0, ability: true, text: "Negate the activation, and if you do, destroy it.", chosen: [at.mirror] });
  b.put("chain", "Solemn Judgment", { owner: 1, ability: true, text: "Negate the activation, and if you do, destroy that card.", chosen: [at.tools] });
  const layout = {
    seat: [row(0, "places", ["field"], "monsters", { places: 5 }), row(1, "places", ["field"], "spells and traps", { places: 5 }), row(2, "fan", ["hand"], "hand"), row(3, "pile", ["banished"], "banished")],
    left: [row(4, "row", ["field"], "field zone"), row(5, "pile", ["extra"], "extra")], right: [row(6, "pile", ["graveyard"], "graveyard"), row(7, "pile", ["deck"], "deck")],
    list: row(8, "row", ["chain"], "Chain"), arrow: ["bearer", "target"], hues: { monster: hue(48), normal: hue(85), spell: hue(178), trap: hue(345), fusion: hue(305), ritual: hue(245) },
  };
  const spans = [["turn.draw", "draw"], ["turn.standby", "standby"], ["turn.main1", "main 1"], ["turn.battle", "battle"], ["turn.battle.step", "battle step"], ["turn.battle.damage", "damage step"], ["turn.battle.end", "end step"], ["turn.main2", "main 2"], ["turn.end", "end"]].map(([path, label]) => ({ path, label }));
  const ask = { id: 3, kind: "act", prompt: "Chain to link 3, or let it resolve", hint: "Nothing you have is fast enough.", min: 1, max: 1, seat: 0, main: [0], options: [{ label: "pass", do: "pass", word: "Pass" }] };
  const why = [{ play: "activate", kind: "moment", words: "its speed is 2, that of Solemn Judgment is 3.", path: "play.activate.when", place: "yugioh/rules/chain.fz:76", source: "function may_chain(it: object): bool =\n  speed(it) >= speed(list_top())", fails: [[39, 68]] }];
  return { title: "Yu-Gi-Oh!", board: b, layout, spans, at, ask, why, seats: seatsOf("Aki", "Mio"), facts: { turn: 6, active: 0, span: "turn.battle.step", seats: [{ large: ["life", "7000"], show: [] }, { large: ["life", "3600"], show: [] }], game: [], shown: [] } };
}

/** Six seats, more cards than a row holds, equal cards. */
function six() {
  const f = wide();
  f.title = "Six";
  f.seats = ["Aki", "Bo", "Cy", "Di", "Ed", "Fe"].map((name, k) => ({ name, bot: k ? "greedy" : undefined, deck: "", here: k !== 3 }));
  f.facts.seats = f.seats.map((_, k) => ({ large: ["life", String(20 - k)], show: [], out: k === 4 }));
  for (let s = 2; s < 6; s++) {
    for (let k = 0; k < 4; k++) f.board.put("battlefield", k % 2 ? "Grizzly Bears" : "Giant Spider", { owner: s, row: 0, look: { stat: "2/2" } });
    for (let k = 0; k < 5; k++) f.board.put("battlefield", "Forest", { owner: s, row: 2 });
    f.board.hide(`hand.${s}`, s);
    f.board.hide(`library.${s}`, 30, true);
  }
  for (let k = 0; k < 14; k++) f.board.put("battlefield", "Grizzly Bears", { owner: 0, row: 0, look: { stat: "2/2" } });
  return f;
}

/** The kinds of decisions, on the board of `wide` or `duel`. */
export const ASKS = {
  choose: (f) => ({ id: 20, kind: "choose", prompt: "Choose two", min: 1, max: 2, seat: 0, options: [{ label: "Whisperwood Elemental", on: f.at.whisper }, { label: "Giant Spider", on: f.at.spider }, { label: "Noor", seat: 1 }, { label: "Lightning Bolt in Noor's graveyard", on: Number(f.board.zones["graveyard.1"].list[0]) }] }),
  order: (f) => ({ id: 21, kind: "order", prompt: "Which ability next?", min: 1, max: 1, seat: 0, options: [{ label: "Whisperwood Elemental: manifest the top card", on: f.at.whisper }, { label: "Giant Spider: gain 1 life", on: f.at.spider }] }),
  modes: () => ({ id: 22, kind: "modes", prompt: "Choose two", min: 2, max: 2, seat: 0, options: [{ label: "Counter target spell." }, { label: "Return target permanent to its owner's hand." }, { label: "Tap all creatures your opponents control." }, { label: "Draw a card." }] }),
  yes_no: (f) => ({ id: 23, kind: "yes_no", prompt: "Draw a card?", on: f.at.spider, min: 1, max: 1, seat: 0, options: [{ label: "yes", word: "Yes", do: "yes" }, { label: "no", word: "No", do: "no" }] }),
  number: () => ({ id: 24, kind: "number", prompt: "Choose X", min: 0, max: 7, seat: 0, options: [] }),
  divide: (f) => ({ id: 25, kind: "divide", prompt: "Divide 4 damage", min: 1, max: 4, seat: 0, options: [{ label: "Whisperwood Elemental", on: f.at.whisper }, { label: "Giant Spider", on: f.at.spider }, { label: "Noor", seat: 1 }] }),
  pay: (f) => ({ id: 26, kind: "pay", prompt: "Pay {3}{G}", hint: "{2}{G} is left", min: 1, max: 1, seat: 0, main: [0], options: [{ label: "pay by itself", word: "Pay", do: "auto" }, ...f.board.zones.battlefield.list.filter((h) => f.board.objects[h].card === "Forest" && !f.board.objects[h].look?.turned && f.board.objects[h].owner === 0).map((h) => ({ label: "Forest: {G}", on: h, word: "{G}" })), { label: "cancel", word: "Cancel", do: "cancel" }] }),
  replacement: (f) => ({ id: 27, kind: "replacement", prompt: "Which applies?", min: 1, max: 1, seat: 0, options: [{ label: "Exile it instead", on: f.at.whisper }, { label: "Return it instead", on: f.at.whisper }] }),
  words: () => ({ id: 28, kind: "choose", prompt: "Name a card", min: 1, max: 1, seat: 0, options: Array.from({ length: 40 }, (_, k) => ({ label: `Card number ${k + 1}` })) }),
  hidden: () => ({ id: 29, kind: "choose", prompt: "Break a shield", min: 1, max: 2, seat: 0, options: [1, 2, 3].map((p) => ({ label: `Mio's shield ${p}`, place: ["shields.1", p] })) }),
};

export const BOARDS = { duel, wide, places, six };

/** The frames for a table named `board` or `board-kind`. */
export function frames(name) {
  const [which, kind] = name.split("-");
  const f = (BOARDS[which] ?? duel)();
  const ask = kind === "watch" || kind === "over" || kind === "wait" ? null : kind && ASKS[kind] ? ASKS[kind](f) : f.ask;
  const over = kind === "over";
  const out = [
    { t: "welcome", v: 1, seat: kind === "watch" ? null : 0, token: "t".repeat(32), table: { name, format: which, title: f.title, seats: f.seats, sandbox: true }, layout: f.layout, spans: f.spans },
    { t: "cards", cards: f.board.cards },
    { t: "view", n: 1, why: "join", view: { objects: f.board.objects, zones: f.board.zones, facts: f.facts }, ask, waits: ask ? 0 : over ? null : 1 },
    { t: "seats", seats: f.seats, watchers: 1 },
    { t: "step", n: 2, events: [
      { words: [{ s: `Turn ${f.facts.turn}` }], heading: true, beat: 0 },
      ...Object.entries(f.board.objects).slice(0, 3).map(([h, o], k) => ({ words: [{ s: o.card || "a card", on: Number(h), card: o.card }, { s: " moves." }], by: k % 2, moves: [], beat: k })),
    ], patch: {}, ask, waits: ask ? 0 : over ? null : 1 },
  ];
  if (over) out.push({ t: "over", outcome: "won", by: 0, words: "Aki wins: Noor has no life left.", trace: "/api/trace/x" });
  return { frames: out, fixture: f, ask };
}

export const LOBBY = {
  formats: [
    { name: "duel", title: "Duel-Magic", seats: 2, best_of: 1, decks: [{ name: "fire_water", cards: 40, problems: [] }, { name: "light", cards: 40, problems: [] }] },
    { name: "wide", title: "Magic", seats: 2, best_of: 3, decks: [{ name: "green_red", cards: 60, problems: [] }, { name: "broken", cards: 59, problems: ["59 cards, at least 60 needed"] }] },
  ],
  bots: ["greedy", "random", "mcts:200"], lan: false, pack: "cards", tables: [{ name: "kite-44", format: "duel", title: "Duel-Magic", turn: 4, over: false, links: [{ seat: 0, as: "seat", key: "abc" }] }],
};
