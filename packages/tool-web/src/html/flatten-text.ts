import type { PageElement, PageNode } from '../dom/page-tree.ts';
import { BLOCK_NAMES, isElement, isSilent, isText } from './element-kinds.ts';

/**
 * The text below an element without any structure but line ends between blocks. It needs no stack, whatever the depth: for pages
 * nested so deeply that they can only be an attack or a mistake.
 */
export function flattenText(root: PageElement): string {
  const parts: string[] = [];
  let node: PageNode | null = root;
  while (node !== null) {
    const isSkipped = isElement(node) && isSilent(node);
    if (isText(node)) {
      parts.push(node.data);
    } else if (isElement(node) && BLOCK_NAMES.has(node.localName)) {
      parts.push('\n');
    }
    node = nextNode(node, { root, isSkipped });
  }
  return parts
    .join('')
    .split('\n')
    .map((line) => line.replaceAll(/\s+/gu, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

function nextNode(
  node: PageNode,
  { root, isSkipped }: { readonly root: PageNode; readonly isSkipped: boolean },
): PageNode | null {
  if (!isSkipped && node.firstChild !== null) {
    return node.firstChild;
  }
  let current: PageNode | null = node;
  while (current !== null && current !== root && current.nextSibling === null) {
    current = current.parentNode;
  }
  return current === null || current === root ? null : current.nextSibling;
}
