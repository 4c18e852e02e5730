import { strict as assert } from 'node:assert';
import { ToolError } from '@toolwright/core';
import { createHttpClient } from '@toolwright/safe-http';

const http = createHttpClient();

// 0x7f000001 is 127.0.0.1: refused, and nothing was connected to.
const refused = http.request({ url: 'http://0x7f000001:8080/admin' });
await assert.rejects(refused, (error) => {
  assert(ToolError.isInstance(error));
  assert.equal(`${error.type}/${error.reason ?? ''}`, 'permission_denied/address_refused');
  return true;
});
await http.close();
