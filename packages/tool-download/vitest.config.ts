import { mergeConfig } from 'vitest/config';
import shared from '../../vitest.shared.ts';

// Connections are waited for, not timed: a machine under load takes its time to close them.
export default mergeConfig(shared, { test: { expect: { poll: { timeout: 20_000 } } } });
