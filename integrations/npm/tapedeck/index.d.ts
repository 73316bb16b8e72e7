/** An entry of the journal (docs/control-api.md). */
export interface JournalEntry {
  number: number;
  at_us: number;
  outcome: string;
  status: number;
  key: string;
  verb: string;
  session: string;
  scope?: string;
  api?: string;
  version?: string;
  method?: string;
  code?: number;
  recording?: string;
  position?: number;
  of?: number;
  match?: string;
  /** Which part of a compound, from 0. */
  part?: number;
  /** Names of the overlays that played. */
  overlay?: string;
  duration_us?: number;
  /** Size of the response body. */
  bytes?: number;
  reason?: string;
}

export interface CallMatch {
  api?: string;
  version?: string;
  method?: string;
  outcome?: string;
  session?: string;
  verb?: string;
  key?: string;
  recording?: string;
  status?: number;
  code?: number;
}

/** How often a call is expected: one of these, and whether to wait for it. */
export interface Expected {
  count?: number;
  at_least?: number;
  at_most?: number;
  never?: true;
  within_ms?: number;
  from?: number;
}

export type Fault = 'reset' | 'close' | 'cut' | 'hang' | 'garbage' | 'empty';

/** One overlay, with the members of a file's block (docs/mocking.md). */
export interface Overlay {
  name?: string;
  call?: string;
  path?: string;
  params?: Record<string, unknown>;
  exact?: boolean;
  account?: string;
  state?: string;
  after?: string;
  times?: number;
  skip?: number;
  chance?: number;
  data?: unknown;
  error?: number | { code: number; errors?: unknown };
  json?: string;
  patch?: unknown;
  merge?: unknown;
  status?: number;
  headers?: Record<string, string>;
  delay?: string | { median: string; p99: string };
  fault?: Fault;
  cut?: number;
  then?: string;
  /** One response for each request in turn. */
  answers?: Pick<Overlay, 'data' | 'error' | 'json' | 'patch' | 'merge' | 'status' | 'headers' | 'delay' | 'fault' | 'cut'>[];
  /** After the last of `answers`: again the last one (default), again from the first one, or what lies below. */
  at_end?: 'stick' | 'loop' | 'pass';
}

/** What a write changes in the responses to one read (docs/mocking.md). */
export interface EffectChange {
  in: string;
  where?: Record<string, unknown>;
  merge?: 'params' | Record<string, unknown>;
  insert?: { at: string; like?: number; set: Record<string, unknown> };
  remove?: { from: string; where: Record<string, unknown> };
  count?: string;
}

/** One effect, with the members of a file's block (docs/mocking.md). */
export interface Effect {
  on: string;
  params?: Record<string, unknown>;
  reply?: unknown;
  change?: EffectChange[];
  ends_sessions?: boolean;
}

export interface ServerOptions {
  /** One or more cassettes, asked in this order; none: built-in answers. */
  cassette?: string | string[];
  /** "none" (default) replays; "all" records everything again from `device`, "new" what the cassette lacks, "once" if there is
   * none. */
  record?: 'none' | 'all' | 'new' | 'once';
  /** The device's URL, to record from. */
  device?: string;
  /** Overlay files (TOML), laid over the recording. Left out with "all". */
  overlays?: string | string[];
  /** With "new": scopes to record again though the cassette has them; `*` stands for any text. */
  rerecord?: string | string[];
  /** `true`: the built-in effects; else files with effects of your own. Left out while recording. */
  effects?: boolean | string | string[];
  /** Parameters whose values the client generates: any value matches. Left out with "all" and "once". */
  bind?: string | string[];
  /** After the last recorded response: repeat it ("stick", the default), start over, or report a miss (with "new": ask the device). Left out with "all". */
  atEnd?: 'stick' | 'loop' | 'miss';
  /** A folder whose files are served beside the API. */
  serve?: string;
  /** More options of `tapedeck replay` or `tapedeck record`. */
  args?: string | string[];
  /** The program; without it TAPEDECK_BIN, the platform's package, or `tapedeck` in PATH. */
  program?: string;
  cwd?: string;
}

/** What one test has. */
export class Tape {
  /** The base URL for this test's client: that of the server with the scope's segment. */
  readonly url: string;
  /** The server's own URL, for clients that send `headers`. */
  readonly serverUrl: string;
  readonly headers: Record<string, string>;
  /** The scope's name with its run, as the journal spells it. */
  readonly scope: string | undefined;
  /** 1 for the first run of the scope. */
  readonly run: number;
  readonly controlUrl: string;
  readonly token: string;
  requests(filter?: { outcome?: string; api?: string; method?: string; session?: string }): Promise<JournalEntry[]>;
  misses(): Promise<JournalEntry[]>;
  /** `call` is "Core.Network/get", "Core.Network/1/get", or members of POST /assert's `match`. */
  assertCalled(call: string | CallMatch, expected?: Expected): Promise<{ holds: true; count: number; numbers: number[] }>;
  /** Lays answers over the recording, for this test alone (docs/mocking.md). */
  overlay(...rules: Overlay[]): Promise<void>;
  /** Declares what writes change in later responses, for this test alone (docs/mocking.md). While recording they are left out, and
   * the result is false. */
  effects(...effects: Effect[]): Promise<boolean>;
  /** The latest time at which a response of this test was recorded, for fake timers. It never goes back. Undefined without a
   * recording. */
  clock(): Promise<Date | undefined>;
  /** Whether the server forwards requests to a device. */
  isRecording(): Promise<boolean>;
  /** Breaks what `rule` names, or everything. */
  fault(kind: Fault, rule?: Overlay): Promise<void>;
  /** A port of this test's own, for clients that take a host and a port alone: its URL. */
  port(): Promise<string>;
  /** Says how the test went: what a recording has of a failed one is not kept. The helpers for runners do it. */
  finish(ok: boolean): Promise<void>;
  /** Takes the overlays and effects away that were declared by this. */
  clearOverlays(): Promise<void>;
  /** The misses and the last requests, as a failing test shows them. */
  report(): Promise<string>;
  explain<E>(error: E): Promise<E>;
}

export class RunningTape extends Tape {
  /** Another scope of the same server, of which the first run is unused. */
  test(id: string): Promise<Tape>;
  /** What the program has said so far. */
  readonly output: string;
  /** Ends the program; its exit status. */
  stop(): Promise<number | null>;
}

/** Starts the program; with `scope` the result's `url` is that scope's. */
export function start(options?: ServerOptions & { scope?: string }): Promise<RunningTape>;
/** Where the program is; throws an error that says what is not installed. */
export function findProgram(): string;
/** A test's id as the name of a scope. */
export function scopeName(id: string): string;
