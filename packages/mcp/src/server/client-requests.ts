import type { ClientCapabilities, InputRequest } from '@modelcontextprotocol/server';
import type { JsonObject } from '@toolwright/core';

/** Whether a client that declared these capabilities can answer a request. */
export function isAnswerable(
  request: InputRequest,
  capabilities: ClientCapabilities | undefined,
): boolean {
  switch (request.method) {
    case 'elicitation/create': {
      const declared = capabilities?.elicitation;
      if (declared === undefined) return false;
      if (request.params.mode === 'url') return declared.url !== undefined;
      // An empty object is how clients declared forms before there was a second mode.
      return declared.form !== undefined || declared.url === undefined;
    }
    case 'sampling/createMessage':
      return capabilities?.sampling !== undefined;
    case 'roots/list':
      return capabilities?.roots !== undefined;
  }
}

/** The capabilities that a client would have to declare to be asked this. */
export function requiredFor(request: InputRequest): JsonObject {
  switch (request.method) {
    case 'elicitation/create':
      return { elicitation: request.params.mode === 'url' ? { url: {} } : { form: {} } };
    case 'sampling/createMessage':
      return { sampling: {} };
    case 'roots/list':
      return { roots: {} };
  }
}
