// The messages between a table and its clients, version 1, as the page reads them. They follow table/src/protocol.rs and table/src/layout.rs.

export type Role = "seat" | "watch" | "host";
export type Lang = "en" | "ja";
export type YieldUntil = "added" | "mine" | "end" | "could";

export type ClientMessage =
  | { t: "hello"; v: number[]; lang: Lang; key: string; as: Role; name: string; table?: string }
  | { t: "answer"; ask: number; picks?: number[]; number?: number; shares?: number[] }
  | { t: "why"; on?: number }
  | { t: "yield"; until: YieldUntil; ability?: string }
  | { t: "hold" } | { t: "undo" } | { t: "concede" } | { t: "again" }
  | { t: "undo_vote"; agree: boolean }
  | { t: "chat"; text: string }
  | { t: "lang"; lang: Lang }
  | { t: "ready"; deck?: Record<string, Record<string, number>> }
  | { t: "absent"; choice: "wait" | "bot" | "end" }
  | { t: "ping"; at: number };

export type ServerMessage =
  | ({ t: "welcome" } & Welcome)
  | { t: "cards"; cards: Record<string, Card> }
  | { t: "view"; n: number; why: "join" | "again" | "undo" | "lang" | "reload" | "next_game" | "seat"; view: View; events: Event[]; fresh?: number; ask: Ask | null; waits: number | null }
  | { t: "step"; n: number; events: Event[]; patch: any; ask: Ask | null; waits: number | null }
  | Refused
  | { t: "why"; on: number | null; reasons: Reason[] }
  | { t: "yielding"; until: Yielding[] }
  | { t: "seats"; seats: Seat[]; watchers: number }
  | { t: "undo_requested"; by: number }
  | { t: "undo_answered"; done: boolean; words: string }
  | { t: "reloaded"; repeated: number; of: number; words: string }
  | { t: "chat"; from: string; text: string }
  | Over
  | { t: "absent"; seat: number }
  | { t: "pong"; at: number }
  | { t: "error"; code: string; words: string };

export interface Refused { t: "refused"; ask: number; why: Reason; instead?: number[] }
export interface Over { t: "over"; outcome: "won" | "drawn" | "void"; by?: number; words: string; trace: string; match?: Match }
export interface Match { best_of: number; game: number; wins: number[]; phase: "playing" | "exchanging" | "over"; ready: boolean[]; deck?: Record<string, Record<string, number>> }
export interface Yielding { until: YieldUntil; ability?: string; words: string }
export interface Welcome { v: number; seat: number | null; token: string; table: TableInfo; layout: Layout; spans: Span[] }
export interface TableInfo { name: string; format: string; title: string; seats: Seat[]; sandbox: boolean; match?: Match }
export interface Seat { name: string; bot?: string; deck: string; here: boolean }
export interface Span { path: string; label: string }
export interface Card { name: string; kind: string; hue: string[]; cost: string; line: string; text: string[]; props: Record<string, number>; words: string[]; source: string }
export interface View { objects: Record<string, Obj>; zones: Record<string, Zone>; facts: Facts }
export interface Obj {
  card: string; ability?: boolean; text?: string; owner: number; by?: number; in: string; row?: number; place?: number; position?: number;
  props?: Record<string, number>; words?: string[]; is?: Record<string, number>; to?: Record<string, string>; look?: Look;
  under?: { handle: number; card: string; owner: number }[]; chosen?: number[]; chosen_seats?: number[];
}
export interface Look { turned?: boolean; dim?: boolean; forward?: boolean; states?: string[]; stat?: string; stat_change?: number; marks?: string[]; counts?: [string, number][]; hue?: string[] }
export interface Zone { list?: number[]; hidden?: number; ordered?: boolean }
export interface Facts { turn: number; active: number; span: string; seats: Plate[]; game: [string, string][]; arrows?: [number, number][]; shown: [number, string, string][] }
export interface Plate { out?: boolean; large?: [string, string]; show?: [string, string][] }
export type AskKind = "act" | "choose" | "order" | "replacement" | "modes" | "yes_no" | "number" | "divide" | "assign" | "pay";
export interface Ask { id: number; kind: AskKind; prompt: string; hint?: string; on?: number; min: number; max: number; repeats?: boolean; options: AskOption[]; main?: number[]; seat: number }
export interface AskOption { label: string; do?: string; word?: string; on?: number; with?: number; seat?: number; place?: [string, number]; cost?: string }
export interface Reason { play?: string; on?: number; kind: string; words: string; path?: string; place?: string; source?: string; fails?: [number, number][] }
export interface Event { words?: Piece[]; by?: number; heading?: boolean; turn?: number; moves?: Move[]; beat: number }
export interface Piece { s: string; on?: number; card?: string }
export interface Move { was?: number; is?: number; from: string; to: string; count?: number }
export interface Layout { seat: Row[]; left?: Row[]; right?: Row[]; middle?: Row[]; list?: Row; beside?: string[]; under?: string[]; arrow?: string[]; hues: Record<string, Hue> }
export interface Row { id: number; style: "row" | "tiles" | "fan" | "backs" | "pile" | "places"; zones: string[]; label: string; places?: number; equal_together?: boolean; only_filled?: boolean }
export interface Hue { degrees: number; tone?: "full" | "soft" | "grey" | "pale" }
/** A recorded game: `POST /api/replay`, `GET /api/replay/ID`. */
export interface ReplayInfo { id: string; format: string; title: string; players: string[]; steps: ReplayStep[]; layout: Layout; spans: Span[]; outcome: string }
export interface ReplayStep { turn: number; span: string; label: string; seat: number; kind: AskKind; words: string; prompt: string; passes: boolean; answer: number }
/** A position of it: `GET /api/replay/ID/STEP`. */
export interface ReplayPosition { n: number; view: View; ask: Ask | null; picks: number[]; events: Event[]; cards: Record<string, Card> }
