//! The contents of rows and the targets of options, computed from the view and the layout for one drawing: rows of objects, what is attached, what is aimed at, where the options are.
import { me, state } from "./store.js";

/** The name of a zone from its key. @param {string} key */
export const zoneName = (key) => key.replace(/\.\d+$/, "");

/** The controller of an object, or its owner. */
export const controller = (o) => o.by ?? o.owner;

/**
 * A row and its contents.
 * @typedef {{row: any, seat: number|null, keys: string[], handles: number[], hidden: number, ordered: boolean}} Filled
 */

/** @returns {any} */
export function derive() {
  const { view, welcome } = state;
  const layout = welcome.layout;
  const objects = view.objects ?? {};
  const zones = view.zones ?? {};
  const keysOf = new Map();
  for (const key of Object.keys(zones)) {
    const name = zoneName(key);
    if (!keysOf.has(name)) keysOf.set(name, []);
    keysOf.get(name).push(key);
  }

  const seatRows = [...(layout.left ?? []), ...(layout.right ?? []), ...(layout.seat ?? [])];
  const last = new Map();
  for (const row of [...(layout.middle ?? []), ...seatRows, ...(layout.list ? [layout.list] : [])]) for (const name of row.zones) last.set(name, row.id);

  // An object that is attached to another one is drawn with it, if that one is drawn.
  const open = new Set();
  for (const row of [...(layout.middle ?? []), ...seatRows]) if (["row", "tiles", "places"].includes(row.style)) for (const name of row.zones) open.add(name);
  const attached = new Map();
  const carried = new Set();
  const attach = (host, entry) => {
    if (!attached.has(host)) attached.set(host, []);
    attached.get(host).push(entry);
  };
  for (const [handle, o] of Object.entries(objects)) {
    for (const lower of o.under ?? []) attach(Number(handle), { handle: lower.handle, card: lower.card, way: "pile" });
    for (const way of ["beside", "under"]) {
      for (const status of layout[way] ?? []) {
        const host = o.to?.[status];
        if (host !== undefined && objects[host] && Number(host) !== Number(handle) && open.has(zoneName(objects[host].in)) && !carried.has(Number(handle)) && !carried.has(Number(host))) {
          carried.add(Number(handle));
          attach(Number(host), { handle: Number(handle), card: o.card, way });
        }
      }
    }
  }

  /** @param {any} row @param {number|null} seat @returns {Filled} */
  const fill = (row, seat) => {
    const out = { row, seat, keys: [], handles: [], hidden: 0, ordered: false };
    for (const name of row.zones) {
      let keys = keysOf.get(name) ?? [];
      if (seat !== null && keys.some((key) => key !== name)) keys = keys.filter((key) => key === `${name}.${seat}` || key === name);
      for (const key of keys) {
        const zone = zones[key];
        const shared = key === name && seat !== null;
        out.keys.push(key);
        for (const handle of zone.list ?? []) {
          const o = objects[handle];
          if (!o || carried.has(handle)) continue;
          if (shared && controller(o) !== seat) continue;
          if ((o.row ?? last.get(name)) !== row.id) continue;
          out.handles.push(handle);
        }
        if (!shared && last.get(name) === row.id) {
          out.hidden += zone.hidden ?? 0;
          out.ordered ||= zone.ordered ?? false;
        }
      }
    }
    return out;
  };

  // A pile for each zone, also where one row names several.
  const split = (rows) => (rows ?? []).flatMap((row) => (row.style === "pile" && row.zones.length > 1 ? row.zones.map((name) => ({ ...row, zones: [name], label: name.replace(/_/g, " ") })) : [row]));

  const seats = state.seats.map((_, seat) => ({
    seat,
    rows: split(layout.seat).map((row) => fill(row, seat)),
    left: split(layout.left).map((row) => fill(row, seat)),
    right: split(layout.right).map((row) => fill(row, seat)),
  }));
  const middle = split(layout.middle).map((row) => fill(row, null));
  const list = layout.list ? fill(layout.list, null) : null;

  // Which objects are drawn one by one, and can be clicked.
  const drawn = new Set();
  const mine = me();
  const show = (f) => {
    const { style } = f.row;
    if (style === "pile") return;
    if (style === "fan" && f.seat !== mine) return;
    for (const handle of f.handles) drawn.add(handle);
  };
  for (const s of seats) for (const f of [...s.rows, ...s.left, ...s.right]) show(f);
  middle.forEach(show);
  if (list) for (const handle of list.handles) drawn.add(handle);
  for (const handle of carried) drawn.add(handle);
  const places = new Set();
  for (const s of seats) for (const f of s.rows) if (f.row.style === "backs") for (const key of f.keys) places.add(key);

  // What the entries of the list aim at, by their numbers from the bottom.
  const aims = new Map(), seatAims = new Map();
  if (list) {
    list.handles.forEach((handle, index) => {
      const o = objects[handle];
      const entry = { n: index + 1, by: controller(o) };
      for (const target of o.chosen ?? []) {
        if (!aims.has(target)) aims.set(target, []);
        aims.get(target).push(entry);
      }
      for (const target of o.chosen_seats ?? []) {
        if (!seatAims.has(target)) seatAims.set(target, []);
        seatAims.get(target).push(entry);
      }
    });
  }

  // Players that something on the board goes for.
  const hit = new Set();
  for (const o of Object.values(objects)) {
    for (const status of layout.arrow ?? []) {
      const to = o.to?.[status];
      if (typeof to === "string" && to.startsWith("seat")) hit.add(Number(to.slice(4)));
    }
  }

  // Where the options are.
  const at = new Map(), atSeat = new Map(), atPlace = new Map(), loose = [];
  const partner = { objects: new Map(), seats: new Map(), places: new Map() };
  const add = (map, key, index) => {
    if (!map.has(key)) map.set(key, []);
    map.get(key).push(index);
  };
  const { ask, pick } = state;
  ask?.options.forEach((option, index) => {
    const place = option.place ? option.place.join(" ") : null;
    if (ask.kind === "assign") {
      if (option.on !== undefined && drawn.has(option.on)) add(at, option.on, index);
      else loose.push(index);
      if (pick?.first !== null && pick?.first !== undefined && option.on === pick.first) {
        if (option.with !== undefined) add(partner.objects, option.with, index);
        else if (place) add(partner.places, place, index);
        else if (option.seat !== undefined) add(partner.seats, option.seat, index);
      }
      return;
    }
    if (option.on !== undefined && drawn.has(option.on)) add(at, option.on, index);
    else if (place && places.has(option.place[0])) add(atPlace, place, index);
    else if (option.on === undefined && option.seat !== undefined && !place) add(atSeat, option.seat, index);
    else loose.push(index);
  });

  return { ask: state.ask, objects, zones, layout, seats, middle, list, attached, drawn, aims, seatAims, hit, at, atSeat, atPlace, loose, partner, mine };
}

/** The derivation of the last drawing. */
export let now = null;

/** Derives, and keeps the result for clicks until the next drawing. */
export function deriveNow() {
  now = state.view && state.welcome ? derive() : null;
  return now;
}
