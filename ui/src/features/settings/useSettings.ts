// Reading and changing settings: shown at once, taken back with a word when the host refuses.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { tellFailure } from "@/features/errors";
import { call, type Settings } from "@/ipc";
import { queries } from "@/ipc/queries";

export function useSettings(): { settings: Settings | undefined; change: (part: Partial<Settings>) => void } {
  const client = useQueryClient();
  const { data: settings } = useQuery(queries.settings());
  const change = useCallback(
    (part: Partial<Settings>) => {
      const { queryKey } = queries.settings();
      const now = client.getQueryData(queryKey);
      if (!now) return;
      const next = { ...now, ...part };
      client.setQueryData(queryKey, next);
      call("settings_set", next).catch((failure) => {
        void client.invalidateQueries({ queryKey });
        tellFailure(failure);
      });
    },
    [client],
  );
  return { settings, change };
}
