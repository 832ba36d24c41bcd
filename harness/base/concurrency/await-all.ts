/** As Promise.all, but where some of it fails, not before nothing is under way any more. */
export async function awaitAll<T extends readonly unknown[] | []>(
  work: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return await Promise.all(work);
}
