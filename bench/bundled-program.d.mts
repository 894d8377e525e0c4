export function bundledProgram(program: URL): Promise<string>;
