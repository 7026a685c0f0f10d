//! Work that is wanted often and takes a while: one run at a time, and one more after it if it was wanted meanwhile.

/**
 * Makes a function that starts the work after a pause; a later call begins the pause again.
 * @param {() => Promise<void>} work @param {number} usual the pause in milliseconds @param {number} next the pause before a run that was wanted meanwhile
 */
export function repeatable(work, usual, next) {
  let timer = 0;
  let isRunning = false;
  let isWanted = false;
  const run = async () => {
    if (isRunning) {
      isWanted = true;
      return;
    }
    isRunning = true;
    await work();
    isRunning = false;
    if (isWanted) {
      isWanted = false;
      soon(next);
    }
  };
  const soon = (pause = usual) => {
    clearTimeout(timer);
    timer = setTimeout(run, pause);
  };
  return soon;
}
