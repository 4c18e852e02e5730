/** How this package names itself to servers and hosts. */
export const clientInfo = { name: 'toolwright', title: 'Toolwright', version: '0.1.0' } as const;
