/** The task API below /media of a Next.js application, as one route handler for every path and method. */
import { answer } from "../../../media-route.ts"

// Handlers of node:sqlite and worker threads need Node, and no answer may be kept.
export const runtime = "nodejs"
export const dynamic = "force-dynamic"

export {
  answer as DELETE,
  answer as GET,
  answer as HEAD,
  answer as OPTIONS,
  answer as PATCH,
  answer as POST,
  answer as PUT,
}
