import { useEffect } from 'react'
import { ConsoleFrame } from './console-frame.tsx'
import { forgetAllDrafts } from './editor/saving/draft.ts'
import { OfferedToken } from './session/offered-token.tsx'
import { SignInAgain } from './session/sign-in-again.tsx'
import { SignInPage } from './session/sign-in-page.tsx'
import { useHolder, useSession } from './session/use-session.ts'

/** The console for whoever is signed in, the way in for everybody else. */
export function ConsoleOrSignIn() {
  const { token, isRefused, number } = useHolder()
  const { data: session } = useSession()
  useEffect(() => {
    // The next person at this browser is not to find them. Only now, as an editor keeps its last edits when it closes.
    if (number > 0) forgetAllDrafts()
  }, [number])
  if (token === undefined) return <SignInPage />
  return (
    <>
      {isRefused && !session ? <SignInPage isRefused /> : <ConsoleFrame key={number} />}
      {isRefused && session && <SignInAgain workspace={session.workspace_name} />}
      <OfferedToken />
    </>
  )
}
