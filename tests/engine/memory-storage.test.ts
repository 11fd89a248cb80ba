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
        test: "closing stores what was handed in; a closed storage does nothing more",
        reason: "a test looks into it after the engine has stopped",
      },
      ...[
        "an archived task is read from its segment alone",
        "an archived part of the tree is read from its file alone",
        "of several bundles that have an event's moment, no more are read than it takes to find it",
        "a segment that holds another task, or an earlier state, in its place is found",
        "a row of an archived task is not replaced",
      ].map((test) => ({ test, reason: "it only knows which tasks are archived" })),
    ],
  },
)
