/** Centre x, centre y, width and height of the leaf clouds, back ones first. */
const clouds = [
  [150, 92, 96, 40],
  [255, 70, 120, 52],
  [380, 54, 130, 56],
  [500, 46, 140, 58],
  [625, 58, 132, 54],
  [745, 74, 116, 50],
  [850, 94, 92, 38],
] as const

/** x, start at the crown, end, and thickness. */
const roots = [
  [118, 118, 168, 1.5],
  [150, 118, 214, 4],
  [186, 116, 184, 1.5],
  [228, 112, 214, 3],
  [262, 110, 170, 1.5],
  [300, 108, 212, 8],
  [338, 104, 190, 2],
  [386, 104, 213, 5],
  [420, 104, 176, 1.5],
  [560, 104, 182, 1.5],
  [606, 104, 213, 6],
  [648, 106, 174, 2],
  [690, 108, 211, 9],
  [730, 110, 188, 1.5],
  [774, 114, 214, 3],
  [812, 116, 172, 1.5],
  [846, 118, 214, 4],
  [884, 118, 160, 1.5],
] as const

/** A banyan grows aerial roots from its branches; those that reach the ground become trunks. */
export function BanyanDrawing() {
  return (
    <svg className="drawing" viewBox="44 -14 912 232" aria-hidden="true">
      <g className="crown">
        {clouds.map(([x, y, width, height]) => (
          <ellipse key={x} cx={x} cy={y} rx={width} ry={height} />
        ))}
      </g>
      <g className="bark">
        {roots.map(([x, from, to, thickness]) => (
          <path
            key={x}
            d={`M${x} ${from - 24}V${to}`}
            strokeWidth={thickness}
            className={to < 200 ? 'young' : undefined}
          />
        ))}
        <path d="M362 98c-60 0-150 4-210 14M638 98c60 0 150 4 210 14" strokeWidth={6} />
      </g>
      <path
        className="trunk"
        d="M428 216c34-6 50-32 48-66-2-24-26-38-116-49v-6c80 0 122 11 132 33l2-68h12l2 68c10-22 52-33 132-33v6c-90 11-114 25-116 49-2 34 14 60 48 66z"
      />
      <g className="crown front">
        {clouds.map(([x, y, width, height]) => (
          <ellipse
            key={x}
            cx={x + 14}
            cy={y - height * 0.16}
            rx={Math.round(width * 0.74)}
            ry={Math.round(height * 0.6)}
          />
        ))}
      </g>
      <path className="earth" d="M44 216h912" strokeWidth={1.5} />
    </svg>
  )
}
