/** Descriptors of the process that runs scenarios' code, beside its standard streams. */
export const requestsAt = 3;
/** Blocking, so that an answer is written at once, whatever happens next. */
export const answersAt = 4;
