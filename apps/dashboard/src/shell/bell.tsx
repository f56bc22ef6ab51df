/** The logo of Carillon. */
export const Bell = ({ size = 20 }: { size?: number }) => (
  <svg viewBox="0 0 32 32" width={size} height={size} className="text-accent" aria-hidden="true">
    <path
      fill="currentColor"
      d="M16 3a2 2 0 0 1 2 2v.6c4.400.9 7.500 4.700 7.500 9.400 0 4.500 1.200 6.700 2.300 8H4.200c1.100-1.300 2.300-3.500 2.300-8 0-4.700 3.100-8.500 7.500-9.400V5a2 2 0 0 1 2-2zm-3.500 22h7a3.500 3.500 0 0 1-7 0z"
    />
  </svg>
);
