/**
 * Whoever gives credentials, as requests may rely on them: an answer comes in time, and a failure is none of those that
 * tell of a mistake of ours, as `fetch failed` does.
 */
import type { S3Credentials } from "./s3-options.ts"

/** With what the client asks for: whether what it gave before may be given again. */
type Provider = (options?: object) => Promise<S3Credentials>

export function limitProvider(provider: Provider, limitMs: number): Provider {
  return async (options) => {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new Error("no credentials were given in time")),
      limitMs,
    )
    try {
      return await Promise.race([provider(options), late.promise])
    } catch (error) {
      if (error instanceof Error && !(error instanceof TypeError)) throw error
      throw new Error("no credentials were given", { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }
}
