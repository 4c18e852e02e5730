/** What a thrown value says of itself; anything may be thrown, also what cannot even be looked at. */
export function thrownMessage(thrown: unknown): string {
  try {
    const said: unknown = thrown instanceof Error ? thrown.message : thrown;
    return String(said);
  } catch {
    return 'a value that cannot be shown was thrown';
  }
}
