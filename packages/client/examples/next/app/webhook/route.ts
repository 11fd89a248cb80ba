/** `POST /webhook` of a Next.js application. */
import { receiveWebhook } from "../../../pictures.ts"

export async function POST(request: Request): Promise<Response> {
  const { body, status } = await receiveWebhook(request.headers, await request.text())
  return Response.json(body, { status })
}
