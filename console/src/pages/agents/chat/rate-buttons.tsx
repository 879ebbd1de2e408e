import { DislikeFilled, DislikeOutlined, LikeFilled, LikeOutlined } from '@ant-design/icons'
import { Button, Input, Popover } from 'antd'
import { useState } from 'react'
import { useTellFailure } from '../../../ui/use-tell-failure.ts'
import { defineWords } from '../../../ui/words.ts'
import type { Rating } from './chat-turns.ts'

const useWords = defineWords(
  {
    like: 'Good answer',
    dislike: 'Bad answer',
    why: 'What was wrong with it? (optional)',
    send: 'Send feedback',
    cancel: 'Cancel',
  },
  {
    like: '回答得好',
    dislike: '回答得不好',
    why: '哪里不好？（选填）',
    send: '提交反馈',
    cancel: '取消',
  },
)

interface RateButtonsProps {
  rating: Rating | undefined
  onRate: (rating: Rating | null, comment?: string) => Promise<void>
}

/** Whether an answer was good; chosen once more, the word is taken back. */
export function RateButtons({ rating, onRate }: RateButtonsProps) {
  const words = useWords()
  const tell = useTellFailure()
  const [isAsking, setIsAsking] = useState(false)
  const rate = (next: Rating | null, comment?: string): void => {
    setIsAsking(false)
    onRate(next, comment).catch(tell)
  }
  return (
    <>
      <Button
        type="text"
        size="small"
        aria-label={words.like}
        title={words.like}
        aria-pressed={rating === 'like'}
        icon={rating === 'like' ? <LikeFilled /> : <LikeOutlined />}
        onClick={() => rate(rating === 'like' ? null : 'like')}
      />
      <Popover
        open={isAsking}
        trigger="click"
        placement="topLeft"
        destroyOnHidden
        onOpenChange={isOpen => setIsAsking(isOpen && rating !== 'dislike')}
        content={<Comment onSend={comment => rate('dislike', comment)} onCancel={() => setIsAsking(false)} />}
      >
        <Button
          type="text"
          size="small"
          aria-label={words.dislike}
          title={words.dislike}
          aria-pressed={rating === 'dislike'}
          icon={rating === 'dislike' ? <DislikeFilled /> : <DislikeOutlined />}
          onClick={() => {
            if (rating === 'dislike') rate(null)
          }}
        />
      </Popover>
    </>
  )
}

function Comment({ onSend, onCancel }: { onSend: (comment: string) => void; onCancel: () => void }) {
  const words = useWords()
  const [comment, setComment] = useState('')
  return (
    <form
      className="rate-comment"
      onSubmit={event => {
        event.preventDefault()
        onSend(comment.trim())
      }}
      onKeyDown={event => {
        if (event.key === 'Escape') onCancel()
      }}
    >
      <Input.TextArea
        autoFocus
        rows={3}
        maxLength={2000}
        aria-label={words.why}
        placeholder={words.why}
        value={comment}
        onChange={event => setComment(event.target.value)}
      />
      <div className="rate-buttons">
        <Button size="small" onClick={onCancel}>
          {words.cancel}
        </Button>
        <Button size="small" type="primary" htmlType="submit">
          {words.send}
        </Button>
      </div>
    </form>
  )
}
