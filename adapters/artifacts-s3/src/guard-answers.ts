/**
 * A middleware between the client and the socket. The client reads an error or a list to its end, however
 * long it is, and takes any document for an empty list. Here answers are bounded, and the answer to a
 * listing has to be a list.
 */
import type { S3Client } from "@aws-sdk/client-s3"
import { gatherBody } from "@safelight/core"
import { createBucketError } from "./refusals.ts"

/** A page of 1,000 keys of 1,024 bytes, each escaped and described, is under 3 MiB. */
const MOST_TEXT_BYTES = 8 * 1024 * 1024

/** The outermost element of the answer, by command. */
const ROOTS: Readonly<Record<string, string>> = {
  ListMultipartUploadsCommand: "ListMultipartUploadsResult",
  ListObjectsV2Command: "ListBucketResult",
}

interface Answer {
  readonly statusCode: number
  body?: AsyncIterable<Uint8Array> | Uint8Array
}

export function guardAnswers({ middlewareStack }: S3Client): void {
  middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        const { headers } = args.request as { readonly headers: Record<string, string> }
        headers["accept-encoding"] = "identity"
        const result = await next(args)
        const answer = result.response as Answer
        const isFine = answer.statusCode >= 200 && answer.statusCode < 300
        if (commandName === "GetObjectCommand" && isFine) return result
        const text = await readText(answer.body)
        const root = findRoot(text)
        if (isFine && root !== "Error" && root !== (ROOTS[commandName] ?? root)) {
          throw createBucketError("a list was answered otherwise")
        }
        answer.body = text
        return result
      },
    // The last step before the socket, after the request is signed.
    { step: "deserialize", priority: "low", name: "guardAnswers" },
  )
}

async function readText(body: Answer["body"] = new Uint8Array()): Promise<Buffer> {
  const bytes = body instanceof Uint8Array ? body : await gatherBody(body, MOST_TEXT_BYTES)
  if (bytes === undefined) throw createBucketError("an answer has no end")
  return Buffer.from(bytes)
}

function findRoot(text: Buffer): string | undefined {
  const begin = text.toString("utf8", 0, 1024)
  return /^\s*(?:<\?[^>]*\?>\s*)?<([A-Za-z]+)[\s/>]/.exec(begin)?.[1]
}
