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
  /** Number of the part of a compound, from 0. */
  part?: number;
  /** Names of the overlays that were used. */
  overlay?: string;
  duration_us?: number;
  messages?: { sent: number; received: number; different: number };
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

/** The expected number of calls: one of these, and whether to wait for it. */
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
  data?: unknown;
  error?: number | { code: number; errors?: unknown };
  json?: string;
  patch?: unknown;
  merge?: unknown;
  status?: number;
  headers?: Record<string, string>;
  delay?: string;
  /** The response waits until Tape.hold's `release`, the page, or the control API lets it go. */
  hold?: boolean;
  fault?: Fault;
  cut?: number;
  then?: string;
  /** One response for each request in turn. */
  answers?: Pick<Overlay, 'data' | 'error' | 'json' | 'patch' | 'merge' | 'status' | 'headers' | 'delay' | 'fault' | 'cut'>[];
  /** After the last of `answers`: repeat it (default), start over, or pass the request on to later stages. */
  at_end?: 'stick' | 'loop' | 'pass';
}

/** The changes of a write to the responses of one read (docs/mocking.md). */
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
  /** One or more cassettes, searched in this order. Without one, only built-in responses are returned. */
  cassette?: string | string[];
  /**
   * "none" (default) replays; "all" records everything again from `device`, "new" records requests that the cassette
   * lacks, and "once" records if there is no cassette.
   */
  record?: 'none' | 'all' | 'new' | 'once';
  /** The URL of the device to record. */
  device?: string;
  /** Overlay files (TOML). Left out with "all". */
  overlays?: string | string[];
  /** With "new": recorded scopes to record again; `*` matches any text. */
  rerecord?: string | string[];
  /** `true` for the built-in effects, or files with your own effects. Left out while recording. */
  effects?: boolean | string | string[];
  /** Parameters whose values the client generates: any value matches. Left out with "all" and "once". */
  bind?: string | string[];
  /** A folder whose files are served beside the API. */
  serve?: string;
  /** More options of `tapedeck replay` or `tapedeck record`. */
  args?: string | string[];
  /** The program; without it TAPEDECK_BIN, the one in this package, or `tapedeck` in PATH. */
  program?: string;
  cwd?: string;
}

/** Responses that wait (Tape.hold). */
export interface Hold {
  /** The requests that wait, by their numbers in the journal. */
  waiting(): Promise<{ request: number; overlay: string; waiting_ms: number }[]>;
  /**
   * Lets all waiting responses go, unchanged or changed, and resolves to their number. Waits for the first one. Later
   * requests do not wait.
   */
  release(change?: { status?: number; error?: number; body?: string; fault?: 'close' | 'reset' }): Promise<number>;
}

/** The recording for one test. */
export class Tape {
  /** The base URL for this test's client: the server's URL with the scope's segment. */
  readonly url: string;
  /** The server's URL without a scope, for clients that send `headers`. */
  readonly serverUrl: string;
  readonly headers: Record<string, string>;
  /** The scope's name with its run, as in the journal. */
  readonly scope: string | undefined;
  /** 1 for the first run of the scope. */
  readonly run: number;
  readonly controlUrl: string;
  readonly token: string;
  requests(filter?: { outcome?: string; api?: string; method?: string; session?: string }): Promise<JournalEntry[]>;
  misses(): Promise<JournalEntry[]>;
  /** `call` is "Core.Network/get", "Core.Network/1/get", or members of POST /assert's `match`. */
  assertCalled(call: string | CallMatch, expected?: Expected): Promise<{ holds: true; count: number; numbers: number[] }>;
  /** Adds overlays for this test alone (docs/mocking.md). */
  overlay(...rules: Overlay[]): Promise<void>;
  /**
   * Declares changes of writes to later responses, for this test alone (docs/mocking.md). While recording they are
   * left out, and the result is false.
   */
  effects(...effects: Effect[]): Promise<boolean>;
  /** The latest time at which a response of this test was recorded, for fake timers. It never goes back. Undefined without a
   * recording. */
  clock(): Promise<Date | undefined>;
  /** True if the server forwards requests to a device. */
  isRecording(): Promise<boolean>;
  /** Breaks the responses to the calls that `rule` names, or all responses. */
  fault(kind: Fault, rule?: Overlay): Promise<void>;
  /** Holds the responses to a call, such as "Core.Share/list", until `release()`. */
  hold(call: string | Overlay): Promise<Hold>;
  /** Opens a port for this test, for clients that accept only host and port, and returns its URL. */
  port(): Promise<string>;
  /** Reports the test's result. The recording of a failed test is not kept. The helpers for runners call it. */
  finish(ok: boolean): Promise<void>;
  /** Removes the overlays and effects that this object declared. */
  clearOverlays(): Promise<void>;
  /** Returns the misses and the last requests, as a failing test shows them. */
  report(): Promise<string>;
  /** Inserts the report, and a hint, into an error's text. */
  explain<E>(error: E, hint?: string): Promise<E>;
}

/** A server without a scope. */
export interface RunningServer {
  readonly url: string;
  readonly control: { readonly url: string; readonly token: string };
}

export class RunningTape extends Tape {
  /** Returns another scope of the same server, with its first unused run. */
  test(id: string): Promise<Tape>;
  /** The last part of the program's output. */
  readonly output: string;
  /** Ends the program and returns its exit status. */
  stop(): Promise<number | null>;
}

/** Starts the program; with `scope`, the result's `url` is that of the scope. */
export function start(options?: ServerOptions & { scope?: string }): Promise<RunningTape>;
/** Returns the path of the program. Throws an error if there is none for this platform. */
export function findProgram(): string;
/** Returns the name of the scope for a test's ID. */
export function scopeName(id: string): string;
