import type { FileFault } from '@toolwright/safe-http/testing';

/** One download with everything that goes wrong in it, made from a seed. */
export interface FaultSchedule {
  readonly seed: number;
  readonly size: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Faults by the number of the request; requests beyond are honest. */
  readonly faults: readonly (FileFault | undefined)[];
  /** The request from which on the server has another version of the file. */
  readonly changesAt: number | undefined;
  /** The request from which on it has the first version again. */
  readonly changesBackAt: number;
  /** Content of the target before. */
  readonly old: string | undefined;
  readonly args: Readonly<Record<string, string | number | boolean>>;
  readonly digest: 'none' | 'right' | 'wrong';
  /** Bytes after which the caller cancels. */
  readonly cancelAfter: number | undefined;
}

/** Makes the schedule of a seed; the same seed gives the same schedule. */
export function faultSchedule(seed: number): FaultSchedule {
  const random = createRandom(seed);
  const chance = (probability: number): boolean => random() < probability;
  const upTo = (limit: number): number => Math.floor(random() * limit);
  const pick = <T>(choices: readonly T[]): T => {
    const choice = choices[upTo(choices.length)];
    if (choice === undefined) {
      throw new TypeError('Nothing to choose from.');
    }
    return choice;
  };
  const size = pick([0, 1, 10, 4096, 65_536, 200_001, 200_001, 4_500_000]);
  const validators: readonly Readonly<Record<string, string>>[] = [
    { etag: '"v1"' },
    { etag: '"v1"' },
    { etag: 'W/"v1"' },
    { 'last-modified': 'Mon, 30 Nov 2026 10:00:00 GMT', date: 'Mon, 30 Nov 2026 11:00:00 GMT' },
    {},
  ];
  const makeFault = (): FileFault =>
    pick<() => FileFault>([
      () => ({ resetAfter: upTo(size + 1) }),
      () => ({ cutAfter: upTo(size + 1) }),
      () => ({ cutAfter: upTo(size + 1), chunked: true }),
      () => ({ chunked: true }),
      () => ({ status: pick([400, 403, 404, 405, 416, 429, 500, 502, 503, 504]) }),
      () => ({ status: pick([429, 503]), headers: { 'retry-after': '0' } }),
      () => ({ ignoreRange: true }),
      () => ({ shiftRange: upTo(100) - 50 }),
      () => ({
        contentRange: pick([
          '',
          'bytes */5',
          'bytes 5-1/9',
          'bytes=0-0/1',
          'x',
          'bytes 0-0/999999999',
        ]),
      }),
      () => ({ surplus: 1 + upTo(100) }),
      () => ({ contentLength: '' }),
      () => ({ contentLength: String(upTo(size + 1)), ignoreRange: true }),
      () => ({ contentLength: String(size + 1 + upTo(10)), ignoreRange: true }),
      () => ({ dripBytes: 1 + upTo(50_000) }),
      () => ({ headers: { 'content-encoding': 'gzip' } }),
      () => ({ headers: { etag: '"lie"' } }),
    ])();
  return {
    seed,
    size,
    headers: pick(validators),
    faults: Array.from({ length: 1 + upTo(7) }, () => (chance(0.6) ? makeFault() : undefined)),
    changesAt: chance(0.3) ? 1 + upTo(4) : undefined,
    changesBackAt: 2 + upTo(6),
    old: chance(0.4) ? 'what was there' : undefined,
    args: {
      overwrite: chance(0.6),
      resume: chance(0.4),
      connections: 1 + upTo(4),
      max_bytes: chance(0.1) ? 100_000 : 10_000_000,
    },
    digest: pick(['none', 'none', 'right', 'right', 'wrong']),
    cancelAfter: chance(0.2) ? upTo(size + 1) : undefined,
  };
}

/** The mulberry32 generator. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
