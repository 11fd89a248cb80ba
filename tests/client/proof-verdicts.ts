/** What the client says of a proof, and whether that is what the package that made it says. */
import assert from "node:assert/strict"
import { verifyTaskProof, type TaskProofVerdict } from "@safelight/client"
import { isRefusal, toVerifierText, type NoteSigner } from "@safelight/proof"
import { open } from "../proof/altered-proofs.ts"

export function toKeys(...signers: readonly NoteSigner[]): string[] {
  return signers.map(({ key }) => toVerifierText(key))
}

export function assertFault(
  verdict: TaskProofVerdict,
  code: string,
  event: number | null = null,
): asserts verdict is TaskProofVerdict & { isProven: false } {
  assert.ok(!verdict.isProven, "it is proved")
  assert.deepEqual([verdict.code, verdict.event], [code, event], verdict.reason)
}

/** The client and the package that made the proof say the same of a document. */
export async function assertAgreed(
  document: unknown,
  { signer }: { signer: NoteSigner },
): Promise<void> {
  const verdict = await verifyTaskProof(document, { keys: toKeys(signer) })
  const opened = await open(document, signer.key)
  if (isRefusal(opened)) {
    const [, event] = /^event (\d+) /.exec(opened.reason) ?? []
    assertFault(verdict, opened.code, event === undefined ? null : Number(event))
    return
  }
  assert.ok(verdict.isProven, JSON.stringify(verdict))
  const { events, task } = opened
  const said = events.map((event) => {
    const { at, data, hash, schema, sealed, type, version } = event
    return { version, at, type, schema, data, ...(sealed !== undefined && { sealed }), hash }
  })
  assert.deepEqual([verdict.task, verdict.events], [task, said])
  assert.equal(verdict.checkpoint.size, opened.checkpoint.size)
}
