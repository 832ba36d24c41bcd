/**
 * What test files that are played one after the other import in the place of tap: the test that
 * stands for the file.
 */
import type { Test } from '@tapjs/test';

let currentTest: Test;

// A binding that lives: who imports it sees the file at hand.
export { currentTest as default };

export function beginFile(test: Test): void {
  currentTest = test;
}
