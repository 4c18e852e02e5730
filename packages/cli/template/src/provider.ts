import { defineProvider } from '@toolwright/core';
import { __FACTORY__Tool } from './__SUBJECT__-tool.ts';

/** The tools of this package: `createHost({ providers: [__FACTORY__()] })`. */
export const __FACTORY__ = () =>
  defineProvider({
    name: '__SUBJECT__',
    version: '0.1.0',
    tools: [__FACTORY__Tool],
  });
