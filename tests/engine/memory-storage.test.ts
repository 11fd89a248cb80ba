/** The storage that engine tests run on keeps the contract that real ones keep. */
import { describeStorage, createMemoryStorage } from "@safelight/testkit"

describeStorage(
  "memory",
  async () => {
    const storage = createMemoryStorage()
    return { storage, reopen: async () => storage, cleanUp: async () => {} }
  },
  {
    divergences: [
      {
        test: "an append that can't be stored rejects alone, leaving nothing",
        reason: "a map has no constraints: it stores whatever it is given",
      },
      {
        test: "an admission that can't be stored rejects alone, leaving nothing",
        reason: "a map has no constraints: it stores whatever it is given",
      },
      {
        test: "closing stores what was handed in; a closed storage does nothing more",
        reason: "a test looks into it after the engine has stopped",
      },
      ...[
        "an archived task is read from its segment alone",
        "a segment that holds another task, or an earlier state, in its place is found",
        "a row of an archived task is not replaced",
      ].map((test) => ({ test, reason: "it only knows which tasks are archived" })),
    ],
  },
)
