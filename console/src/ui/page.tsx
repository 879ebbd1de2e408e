import { type ReactNode, useEffect } from 'react'
import './page.css'

interface PageProps {
  title: string
  /** One sentence that says what the page is for. */
  about?: ReactNode
  /** Way back: where it leads and what is there. */
  back?: { href: string; title: string }
  /** Buttons at the right of the title. */
  actions?: ReactNode
  children: ReactNode
}

/** A page with its title, what it is for, and what can be done there. */
export function Page({ title, about, back, actions, children }: PageProps) {
  useDocumentTitle(title)
  return (
    <div className="page">
      <div className="page-head">
        <div className="page-title">
          {back && (
            <a className="page-back" href={back.href}>
              ← {back.title}
            </a>
          )}
          <h1>{title}</h1>
          {about !== undefined && <p className="soft">{about}</p>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  )
}

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Banyan' : `${title} · Banyan`
  }, [title])
}
