// On the Checkpoints screen: nothing while the key of sealed checkpoints is at hand, else the way to open them.
import { useQuery } from "@tanstack/react-query";
import { queries } from "@/ipc/queries";
import { UnlockForm } from "./UnlockForm";

export function SealedNotice() {
  const { data } = useQuery(queries.sealing());
  return data?.locked ? <UnlockForm state={data} /> : null;
}
