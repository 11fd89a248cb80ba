/** Artifacts in a bucket that can be away for a while. */
import { SafelightError, type ArtifactStorage } from "@safelight/core"

export interface SilentBucket {
  readonly artifacts: Pick<ArtifactStorage, "open">
  /** It answers from now on. */
  readonly comeBack: () => void
}

/** Away at first. */
export function createSilentBucket({ open }: Pick<ArtifactStorage, "open">): SilentBucket {
  let isAway = true
  return {
    artifacts: {
      async open(request) {
        if (!isAway) return open(request)
        throw new SafelightError({ code: "artifacts-unavailable", message: "the bucket is silent" })
      },
    },
    comeBack: () => void (isAway = false),
  }
}
