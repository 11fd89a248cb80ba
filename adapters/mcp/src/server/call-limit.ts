/** So many requests are worked on at once, since the answers of all may have to stay in memory. */
import { ApiError } from "@safelight/client"

/** Throws an `ApiError` above the limit: the request was not begun. */
export type CallLimit = <Answer>(answer: () => Promise<Answer>) => Promise<Answer>

export function createCallLimit(most = Infinity): CallLimit {
  let running = 0
  return async (answer) => {
    if (running >= most) throw refuse(most)
    running += 1
    try {
      return await answer()
    } finally {
      running -= 1
    }
  }
}

function refuse(most: number): ApiError {
  return new ApiError({
    code: "concurrency_limit_exceeded",
    type: "rate_limit_error",
    message: `At most ${most} calls are answered at once. This one did nothing: repeat it later.`,
  })
}
