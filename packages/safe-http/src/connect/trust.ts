import { createSecureContext, rootCertificates } from 'node:tls';
import type { SecureContext } from 'node:tls';

/** Whom the connections of one client trust; the certificates are read once, at the first one, and not for each. */
export class Trust {
  readonly #ca: readonly string[] | undefined;
  #context: SecureContext | undefined;

  /** `ca`: certificate authorities beside the built-in ones, as PEM. */
  constructor(ca: readonly string[] | undefined) {
    this.#ca = ca;
  }

  /** For `tls.connect`. */
  get context(): SecureContext {
    this.#context ??= createSecureContext(
      this.#ca === undefined ? {} : { ca: [...rootCertificates, ...this.#ca] },
    );
    return this.#context;
  }
}
