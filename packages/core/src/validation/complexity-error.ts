/**
 * Raised inside the validator when checking a value would take more steps than allowed: recursive schemas and
 * patterns of third parties can be written so that the work grows exponentially. Never leaves `validate`.
 */
export class ComplexityError extends Error {
  constructor() {
    super('checking takes too many steps');
    this.name = 'ComplexityError';
  }
}

/** Whether a check gave up: too many steps, or a chain of references too long for the stack. */
export function isTooComplex(error: unknown): boolean {
  return error instanceof ComplexityError || error instanceof RangeError;
}
