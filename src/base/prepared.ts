/** Prepares an opened resource, and returns the resource. If the preparation fails, the resource is closed. */
export async function prepared<T extends { close(): Promise<void> }>(
  opened: T,
  prepare: (opened: T) => Promise<unknown>,
): Promise<T> {
  try {
    await prepare(opened);
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}
