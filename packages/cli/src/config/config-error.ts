/** A config file, or something it names, that cannot be used: told on stderr, exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
