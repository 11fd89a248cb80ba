/** `GET /pictures/TASK` of a Next.js application. */
import { showPicture } from "../../../../pictures.ts"

interface Context {
  readonly params: Promise<{ readonly task: string }>
}

export async function GET(_request: Request, { params }: Context): Promise<Response> {
  const { body, status } = showPicture((await params).task)
  return Response.json(body, { status })
}
