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
