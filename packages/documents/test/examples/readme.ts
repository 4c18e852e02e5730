import { strict as assert } from 'node:assert';
import { decodeDocument } from '@toolwright/documents';

// "你好" and "a" in GBK, with CRLF
const bytes = Buffer.from('c4e3bac30d0a610d0a', 'hex');
const document = await decodeDocument(bytes);
assert.equal(document.encoding, 'gb18030');
assert.equal(document.lineEndings, 'crlf');

const start = document.text.indexOf('a');
const changed = document.splice([{ start, end: start + 1, replacement: '世界' }]);
assert.equal(Buffer.from(changed).toString('hex'), 'c4e3bac30d0acac0bde70d0a');
