/** By whose word a proof is verified. */
import type { SignedLog } from "../api/proof-answers.ts"

/** Either `keys`, or `log` if there are none. */
export type ProofKeys =
  | {
      /**
       * The log's public keys, as C2SP signed-note writes them, which you have from its operator and not from this
       * service: `name+id+base64`. One of them must have signed.
       */
      readonly keys: readonly string[]
      readonly log?: undefined
    }
  | {
      /** What the service says of itself, as `signedLog` gives it. */
      readonly log: Pick<SignedLog, "keys">
      readonly keys?: undefined
    }
