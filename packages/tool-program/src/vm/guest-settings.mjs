/** Bytes of native stack; the binary has 1 MiB, half of which is headroom for the engine's own frames. */
export const stackBytes = 512 * 1024;
/** The name under which the guest knows the one function of the host that it calls. */
export const logFunction = 'log';
