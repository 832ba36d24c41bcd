/** All orders of `letters`, each as one word, in the order of words. */
export function ordersOf(letters: readonly string[]): readonly string[] {
  if (letters.length === 0) return [''];
  return letters.flatMap((first) =>
    ordersOf(letters.filter((other) => other !== first)).map((rest) => `${first}${rest}`),
  );
}
