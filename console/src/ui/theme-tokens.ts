const font =
  'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif'
const code = 'ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace'

/** Colours of Ant Design's components; base.css has the same for everything else. Text keeps a contrast of 4.5. */
export const tokensOf = (isDark: boolean) => ({
  fontFamily: font,
  fontFamilyCode: code,
  borderRadius: 8,
  motionDurationMid: '0.12s',
  motionDurationSlow: '0.18s',
  ...(isDark
    ? {
        colorPrimary: '#4fa67c',
        colorInfo: '#4fa67c',
        colorLink: '#86cfa8',
        colorBgLayout: '#121815',
        colorBgContainer: '#18201c',
        colorBgElevated: '#1d2722',
        colorBorderSecondary: '#2b3730',
        colorTextPlaceholder: '#8b978f',
        colorTextDescription: '#a1aea6',
        colorTextTertiary: '#a1aea6',
        colorError: '#ff8f85',
      }
    : {
        colorPrimary: '#2c6e4f',
        colorInfo: '#2c6e4f',
        colorLink: '#2c6e4f',
        colorBgLayout: '#fbfaf6',
        colorBorderSecondary: '#e2ded2',
        colorTextPlaceholder: '#6b766f',
        colorTextDescription: '#56625b',
        colorTextTertiary: '#56625b',
        colorError: '#c9302c',
        // Darker instead of lighter, so that white on it stays readable.
        colorErrorHover: '#b3261e',
        colorErrorBg: '#fbe9e7',
        colorSuccess: '#2c7a3f',
        // What Ant Design derives from colours as dark as these is too dark to read text on.
        colorSuccessBg: '#e4efe7',
        colorInfoBg: '#e4efe7',
        colorPrimaryBg: '#e4efe7',
        colorPrimaryBgHover: '#d6e7dc',
        controlItemBgActive: '#e4efe7',
        controlItemBgActiveHover: '#d6e7dc',
      }),
})
