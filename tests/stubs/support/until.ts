/** Waits for a condition of a provider that only polling tells. */

/** Asks until the answer fits; a test that waits for ever is ended by its run. */
export async function until<Answer>(
  ask: () => Promise<Answer>,
  fits: (answer: Answer) => boolean,
): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (fits(answer)) return answer
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
