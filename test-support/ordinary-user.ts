/** `nobody` of Linux and the BSDs. */
export const ordinaryUser = 65_534;

/** Does something with the rights of an ordinary user, also where the tests run as root, whom nothing is closed to. */
export async function asOrdinaryUser<Result>(work: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(ordinaryUser);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
