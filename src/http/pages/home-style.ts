export const homeStyle = `
body{display:flex;flex-direction:column;min-height:100vh}
.page{width:100%;max-width:68rem;margin:0 auto;padding:0 1.5rem}
header.page{display:flex;flex-wrap:wrap;align-items:center;gap:.75rem 1.5rem;padding-block:1.5rem}
.brand{display:flex;align-items:center;gap:.6rem;font-weight:650;font-size:1.15rem;letter-spacing:-.01em;margin-right:auto}
.mark{width:2.1rem;height:2.1rem}
header nav{display:flex;flex-wrap:wrap;gap:.25rem 1.4rem;font-size:.95rem}
header nav a{padding:.3rem 0;text-decoration:none}
header nav a:hover{text-decoration:underline}
.hero{padding:2.6rem 0 0}
.state{display:inline-flex;align-items:center;gap:.6rem;margin:0;padding:.25rem .9rem .25rem .75rem;border-radius:99rem;background:var(--leaf-soft);color:var(--leaf);font-size:.9rem;font-weight:550}
.state::before{content:"";width:.55rem;height:.55rem;border-radius:50%;background:currentColor;box-shadow:0 0 0 4px color-mix(in srgb,currentColor 22%,transparent)}
h1{margin:1.1rem 0 1.3rem;font-size:clamp(2rem,1.3rem + 3vw,3.3rem);font-weight:680;letter-spacing:-.028em;line-height:1.1}
.about{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:1rem 3rem}
.about p{margin:0;color:var(--soft);font-size:1.08rem;line-height:1.65}
.about p[lang]{line-height:1.85;font-size:1.04rem}
.drawing{display:block;width:100%;height:auto;margin-top:1.6rem}
.drawing .crown{fill:color-mix(in srgb,var(--crown) 34%,var(--ground))}
.drawing .front{fill:color-mix(in srgb,var(--crown) 52%,var(--ground))}
.drawing .bark{fill:none;stroke:color-mix(in srgb,var(--bark) 62%,var(--ground));stroke-linecap:round}
.drawing .trunk{fill:color-mix(in srgb,var(--bark) 62%,var(--ground))}
.drawing .young{opacity:.75}
.drawing .earth{stroke:var(--line)}
.steps{padding:3rem 0 1rem}
h2{margin:0 0 1.6rem;font-size:1.6rem;font-weight:650}
h2 span,h3 span{color:var(--soft);font-weight:400;font-size:.82em;margin-left:.5em}
.steps ol{list-style:none;counter-reset:step;margin:0;padding:0;display:grid;gap:2.2rem}
.steps li{counter-increment:step;display:grid;grid-template-columns:2.4rem minmax(0,18rem) minmax(0,1fr);gap:0 1.2rem;align-items:start}
.steps li::before{content:counter(step);display:grid;place-items:center;width:2.1rem;height:2.1rem;border-radius:50%;border:1.5px solid var(--leaf);color:var(--leaf);font-weight:600;font-size:.95rem}
.steps h3{margin:.2rem 0 .5rem;font-size:1.1rem;font-weight:620}
.steps p{margin:0;color:var(--soft);font-size:.95rem}
.links{padding:2.6rem 0 3.4rem}
.links ul{list-style:none;margin:0;padding:0;display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,15rem),1fr));gap:1rem}
.links a{display:block;height:100%;padding:1.1rem 1.25rem;border:1px solid var(--line);border-radius:12px;background:var(--raised);color:inherit;text-decoration:none;transition:border-color .15s}
.links a:hover{border-color:var(--leaf)}
.links b{display:block;color:var(--leaf);font-weight:620}
.links b::after{content:" →"}
.links small{display:block;margin-top:.25rem;color:var(--soft);font-size:.9rem}
footer{margin-top:auto;border-top:1px solid var(--line);color:var(--soft);font-size:.9rem}
footer p{margin:0;padding:1.2rem 0 1.6rem}
@media(max-width:56rem){
.steps li{grid-template-columns:2.4rem minmax(0,1fr)}
.steps pre{grid-column:1/-1;margin-top:.9rem}}
@media(max-width:34rem){.page{padding-inline:1.1rem}.hero{padding-top:1.4rem}.drawing{margin-top:1.2rem}}
`
