import type { ClientCapabilities, InputRequest } from '@modelcontextprotocol/server';

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
